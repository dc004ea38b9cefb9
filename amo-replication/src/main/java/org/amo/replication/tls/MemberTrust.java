package org.amo.replication.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a certificate that its issuers vouch for and that names a member of this group: {@code ID.GROUP} as a DNS name or as
 * the common name. One issuer may serve many groups; a member of another one is a stranger here. Any thread.
 */
final class MemberTrust extends X509ExtendedTrustManager {
    /** A name of this kind in {@code getSubjectAlternativeNames} is a DNS name (RFC 5280, section 4.2.1.6). */
    private static final int DNS_NAME = 2;

    private final X509ExtendedTrustManager issuers;
    private final String group;

    MemberTrust(X509ExtendedTrustManager issuers, String group) {
        this.issuers = issuers;
        this.group = group;
    }

    private void check(X509Certificate certificate) throws CertificateException {
        List<String> names = names(certificate);
        String suffix = "." + group;
        if (names.stream().noneMatch(name -> name.length() > suffix.length() && name.endsWith(suffix))) {
            throw new CertificateException("the certificate of " + names + " names no member of group '" + group
                    + "'; give each member one that names ID." + group + " as a DNS name");
        }
    }

    private static List<String> names(X509Certificate certificate) throws CertificateException {
        List<String> names = new ArrayList<>();
        if (certificate.getSubjectAlternativeNames() != null) {
            for (List<?> name : certificate.getSubjectAlternativeNames()) {
                if (name.get(0).equals(DNS_NAME)) {
                    names.add(String.valueOf(name.get(1)));
                }
            }
        }
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    names.add(String.valueOf(part.getValue()));
                }
            }
        } catch (InvalidNameException e) {
            throw new CertificateException("a certificate whose subject cannot be read", e);
        }
        return names;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        issuers.checkClientTrusted(chain, authType, socket);
        check(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        issuers.checkServerTrusted(chain, authType, socket);
        check(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        issuers.checkClientTrusted(chain, authType, engine);
        check(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        issuers.checkServerTrusted(chain, authType, engine);
        check(chain[0]);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        issuers.checkClientTrusted(chain, authType);
        check(chain[0]);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        issuers.checkServerTrusted(chain, authType);
        check(chain[0]);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return issuers.getAcceptedIssuers();
    }
}
