package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// OAuthBearer is the SASL mechanism that identifies a client by a token (RFC 7628).
const OAuthBearer = "OAUTHBEARER"

// Token is the source of the token for OAuthBearer: exactly one of File, Command and URL. Each new connection asks
// the source, so it uses the newest token.
type Token struct {
	File    string
	Command []string // program that prints the token, and its arguments

	// URL is an OAuth endpoint for client credentials (RFC 6749, 4.4). User name and password are those of the
	// client. A token is used until it expires.
	URL    string
	Scopes []string
}

// tokenTimeout is the longest wait for a token.
const tokenTimeout = 10 * time.Second

// oauth implements sasl.Mechanism of kafka-go.
type oauth struct {
	token func(ctx context.Context) (string, error)
}

func (s SASL) oauth() oauth {
	switch t := s.Token; {
	case t.File != "":
		return oauth{func(context.Context) (string, error) {
			text, err := os.ReadFile(t.File)
			return string(text), err
		}}
	case len(t.Command) > 0:
		return oauth{func(ctx context.Context) (string, error) { return runToken(ctx, t.Command) }}
	}
	c := clientcredentials.Config{
		ClientID: s.Username, ClientSecret: s.Password.Reveal(), TokenURL: s.Token.URL, Scopes: s.Token.Scopes,
	}
	client := &http.Client{Timeout: tokenTimeout}
	source := c.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, client))
	return oauth{func(context.Context) (string, error) {
		token, err := source.Token()
		if refusal := new(oauth2.RetrieveError); errors.As(err, &refusal) {
			return "", fmt.Errorf("%s answers %s %s", s.Token.URL, refusal.Response.Status, refusal.ErrorCode) // the body may repeat the secret
		}
		if err != nil {
			return "", err
		}
		return token.AccessToken, nil
	}}
}

// runToken returns the standard output of a command.
func runToken(ctx context.Context, command []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", command[0], err, bytes.TrimSpace(complaint.Bytes()[:min(complaint.Len(), 200)]))
	}
	return out.String(), nil
}

// Name implements sasl.Mechanism.
func (oauth) Name() string { return OAuthBearer }

// Start implements sasl.Mechanism.
func (o oauth) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	token, err := o.token(ctx)
	if token = strings.TrimSpace(token); err == nil && (token == "" || strings.ContainsAny(token, " \x00\x01\r\n")) {
		err = errors.New("the answer holds no token")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the token of SASL: %w", err)
	}
	return o, []byte("n,,\x01auth=Bearer " + token + "\x01\x01"), nil
}

// Next implements sasl.StateMachine. A challenge is the reason for a refusal. The client must acknowledge it; the
// broker then answers with an error.
func (oauth) Next(_ context.Context, challenge []byte) (done bool, response []byte, err error) {
	return len(challenge) == 0, []byte{1}, nil
}
