package wire

import (
	"net/url"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// KafkaAccess has the credentials of a Kafka client, and the certificates that it trusts.
type KafkaAccess struct {
	// `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`, `OAUTHBEARER`; empty = none ([rights](howto/kafka-rights.md))
	SASLMechanism string `yaml:"sasl_mechanism"`

	SASLUsername     string      `yaml:"sasl_username"`      // user name for SASL
	SASLPassword     secret.Text `yaml:"sasl_password"`      // password for SASL; better as `${VAR}`
	SASLPasswordFile string      `yaml:"sasl_password_file"` // file that holds the password
	SASLTokenFile    string      `yaml:"sasl_token_file"`    // file with the token of `OAUTHBEARER`
	SASLTokenCommand []string    `yaml:"sasl_token_command"` // program that prints the token, and its arguments

	// https endpoint that issues the token for `sasl_username` and `sasl_password` (client credentials)
	SASLTokenURL string `yaml:"sasl_token_url"`

	SASLScopes         []string `yaml:"sasl_scopes"`          // scopes to request at `sasl_token_url`
	TLSEnable          bool     `yaml:"tls_enable"`           // TLS 1.2 or later
	TLSCA              string   `yaml:"tls_ca"`               // certificates that sign the broker's; empty = the system's
	TLSCert            string   `yaml:"tls_cert"`             // client certificate, with `tls_key`
	TLSKey             string   `yaml:"tls_key"`              // key of the client
	TLSServerName      string   `yaml:"tls_server_name"`      // host name in the broker's certificate; empty = that of the address
	InsecureSkipVerify bool     `yaml:"insecure_skip_verify"` // accept any certificate: for tests only
}

// check records mistakes in the credentials and in the certificates.
func (k *KafkaAccess) check(v *config.Checker, path string) {
	path += "."
	k.checkSASL(v, path+"sasl_")
	if !k.TLSEnable {
		for _, s := range []struct {
			path string
			set  bool
		}{
			{"tls_ca", k.TLSCA != ""},
			{"tls_cert", k.TLSCert != ""},
			{"tls_key", k.TLSKey != ""},
			{"tls_server_name", k.TLSServerName != ""},
			{"insecure_skip_verify", k.InsecureSkipVerify},
		} {
			v.Need(!s.set, path+s.path, "has no effect without tls_enable: true")
		}
		return
	}
	checkTLS(v, path+"tls_", k.TLSCA, k.TLSCert, k.TLSKey)
}

// checkTLS reads the files of a TLS connection. Their settings are ca, cert and key below path.
func checkTLS(v *config.Checker, path, ca, cert, key string) {
	_, err := cluster.TLSFiles{CA: ca}.Config()
	v.Need(err == nil, path+"ca", "%v", err)
	if (cert == "") != (key == "") {
		v.Need(false, path+"cert", "and %skey must be given together", path)
		return
	}
	_, err = cluster.TLSFiles{Cert: cert, Key: key}.Config()
	v.Need(err == nil, path+"cert", "%v", err)
}

func (k *KafkaAccess) checkSASL(v *config.Checker, path string) {
	var sources []string
	for key, given := range map[string]bool{"token_file": k.SASLTokenFile != "", "token_command": len(k.SASLTokenCommand) > 0, "token_url": k.SASLTokenURL != ""} {
		if given {
			sources = append(sources, path+key)
		}
	}
	slices.Sort(sources)
	bearer := k.SASLMechanism == "OAUTHBEARER"
	v.Need(bearer || len(sources) == 0, path+"mechanism", "must be OAUTHBEARER with %s", strings.Join(sources, ", "))
	v.Need(!bearer || len(sources) == 1, path+"token_file", "one of %[1]stoken_file, %[1]stoken_command and %[1]stoken_url must be given with OAUTHBEARER, got %[2]d", path, len(sources))
	v.Need(len(k.SASLScopes) == 0 || k.SASLTokenURL != "", path+"scopes", "needs %stoken_url", path)
	if k.SASLTokenURL != "" {
		u, err := url.Parse(k.SASLTokenURL)
		v.Need(err == nil && secret.CheckURL(k.SASLTokenURL) == nil && (u.Scheme == "https" || config.IsLoopback(u.Hostname())), path+"token_url",
			"must be an https URL without user, password and query string: the password is sent there")
	}
	switch {
	case k.SASLMechanism == "":
		v.Need(k.SASLUsername == "", path+"mechanism", "must be given with %susername: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER", path)
	case bearer && k.SASLTokenURL == "":
		v.Need(k.SASLUsername == "" && k.SASLPassword.IsZero(), path+"username", "and %spassword are for %stoken_url: a token has them", path, path)
	default:
		v.OneOf(path+"mechanism", k.SASLMechanism, "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
		v.Need(k.SASLUsername != "", path+"username", "must be given with %smechanism", path)
		v.Need(!k.SASLPassword.IsZero(), path+"password", "must be given with %smechanism", path)
	}
}

// checkBrokers refuses addresses that are not host:port.
func checkBrokers(v *config.Checker, path string, brokers []string) {
	for i, broker := range brokers {
		err := secret.CheckAddress(broker)
		v.Need(err == nil, path+".brokers", "element %d %v; credentials belong in %s.sasl_username and %[3]s.sasl_password", i, err, path)
	}
}

func (k *KafkaAccess) connection(brokers []string, clientID string) (cluster.Connection, error) {
	c := cluster.Connection{
		Brokers: brokers, ClientID: clientID,
		SASL: cluster.SASL{
			Mechanism: k.SASLMechanism, Username: k.SASLUsername, Password: k.SASLPassword,
			Token: cluster.Token{File: k.SASLTokenFile, Command: k.SASLTokenCommand, URL: k.SASLTokenURL, Scopes: k.SASLScopes},
		},
	}
	if !k.TLSEnable {
		return c, nil
	}
	var err error
	c.TLS, err = cluster.TLSFiles{
		CA: k.TLSCA, Cert: k.TLSCert, Key: k.TLSKey, ServerName: k.TLSServerName, InsecureSkipVerify: k.InsecureSkipVerify,
	}.Config()
	return c, err
}
