package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Files in the pki folder of a cluster.
const (
	caCert         = "ca.crt"
	serverCert     = "apiserver.crt"
	serverKey      = "apiserver.key"
	adminCert      = "admin.crt"
	adminKey       = "admin.key"
	serviceAccount = "service-account.key"
)

// certLifetime exceeds the life of any test cluster.
const certLifetime = 365 * 24 * time.Hour

// writePKI fills dir with what the API server and its administrator need: an authority, whose own
// key is thrown away, a certificate for 127.0.0.1, a client certificate in the group
// system:masters, and the key that signs service account tokens.
func writePKI(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot create the folder of the certificates: %w", err)
	}
	ca, err := newAuthority()
	if err != nil {
		return fmt.Errorf("cannot create the certificate authority: %w", err)
	}
	if err := writePEM(filepath.Join(dir, caCert), "CERTIFICATE", ca.cert.Raw); err != nil {
		return err
	}
	server := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
	}
	if err := ca.issue(server, filepath.Join(dir, serverCert), filepath.Join(dir, serverKey)); err != nil {
		return err
	}
	admin := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if err := ca.issue(admin, filepath.Join(dir, adminCert), filepath.Join(dir, adminKey)); err != nil {
		return err
	}
	_, err = writeNewKey(filepath.Join(dir, serviceAccount))
	return err
}

// authority is a certificate authority that lives as long as writePKI runs.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "test-cluster-ca"},
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	if err := setSerialAndDates(template); err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &authority{cert: cert, key: key}, err
}

// issue makes a key and a certificate for it after the template, and writes both.
func (a *authority) issue(template *x509.Certificate, certPath, keyPath string) error {
	key, err := writeNewKey(keyPath)
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	if err := setSerialAndDates(template); err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("cannot issue the certificate of %s: %w", template.Subject.CommonName, err)
	}
	return writePEM(certPath, "CERTIFICATE", der)
}

func setSerialAndDates(template *x509.Certificate) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	now := time.Now()
	template.SerialNumber = serial
	template.NotBefore = now.Add(-time.Hour)
	template.NotAfter = now.Add(certLifetime)
	return nil
}

func writeNewKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		return fmt.Errorf("cannot write a certificate or key: %w", err)
	}
	return nil
}
