# syntax=docker/dockerfile:1

# The compiler runs on the machine at hand, for either processor: docker buildx build --platform linux/amd64,linux/arm64
FROM --platform=$BUILDPLATFORM golang:1.26.0-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=dev
ARG TARGETOS
ARG TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -gcflags=all=-dwarf=false \
      -ldflags "-s -w -X github.com/orffvar/forecaster/internal/wire.version=$VERSION" -o /image/usr/local/bin/forecaster ./cmd/forecaster \
 && install -D -m 644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt \
 && install -D -m 644 eval/dataset/macrodata.csv /image/usr/share/forecaster/macrodata.csv \
 && install -D -m 644 LICENSE /image/usr/share/forecaster/LICENSE \
 && install -d -m 1777 /image/tmp \
 && install -d -o 10001 -g 10001 /image/var/lib/forecaster

# Nothing but the binary, the certificates of authorities and a file to try; time zones are in the binary.
FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="forecaster" \
      org.opencontainers.image.description="Online forecasts of multivariate time series, from Kafka to InfluxDB" \
      org.opencontainers.image.source="https://github.com/orffvar/forecaster" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION"
COPY --from=build /image/ /
USER 10001:10001
ENV PATH=/usr/local/bin
WORKDIR /var/lib/forecaster
VOLUME /var/lib/forecaster
ENTRYPOINT ["/usr/local/bin/forecaster"]
CMD ["help"]
