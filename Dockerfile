# syntax=docker/dockerfile:1

FROM golang:1.26.0-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=dev
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/orffvar/forecaster/internal/wire.version=$VERSION" -o /out/forecaster ./cmd/forecaster

FROM alpine:3.22.2
RUN apk add --no-cache ca-certificates tzdata \
 && adduser -D -H -u 10001 forecaster \
 && install -d -o forecaster -g forecaster /var/lib/forecaster
COPY --from=build /out/forecaster /usr/local/bin/forecaster
COPY internal/dataset/macrodata.csv /usr/share/forecaster/macrodata.csv
USER 10001:10001
WORKDIR /var/lib/forecaster
VOLUME /var/lib/forecaster
ENTRYPOINT ["forecaster"]
CMD ["help"]
