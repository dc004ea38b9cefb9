package org.amo.replication.service;

import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Key stores (PKCS 12) with new certificates, in a folder of a test. */
public final class Certificates {
    public static final String PASSWORD = "changeit";

    // The password guards nothing. By default a key is derived from it in 10,000 rounds, three times for each store
    // that is
    // written or read; with the first compiler alone that is a tenth of a second.
    static {
        for (String part : List.of("certPbe", "keyPbe", "mac")) {
            Security.setProperty("keystore.pkcs12." + part + "IterationCount", "100");
        }
    }

    private final Path folder;
    private final Map<String, Issued> issued = new HashMap<>();
    private long serial;

    private record Issued(KeyPair keys, List<X509Certificate> chain) {
        X509Certificate certificate() {
            return chain.get(0);
        }
    }

    public Certificates(Path folder) {
        this.folder = folder;
    }

    public Path file(String name) {
        return folder.resolve(name);
    }

    /** An issuer, in the store of this name; and a trust store {@code trusts-NAME} with its certificate. */
    void issuer(String name) throws Exception {
        make(name, name, new Extension(Extension.basicConstraints, true, new BasicConstraints(true).getEncoded()));
        trust("trusts-" + name, name);
    }

    /** A certificate by that issuer for these DNS names and for 127.0.0.1, in the store of this name. */
    void issued(String name, String issuer, String... dnsNames) throws Exception {
        make(name, issuer, subjectNames(dnsNames));
    }

    /** A certificate that signed itself, for 127.0.0.1 alone, in the store of this name. */
    public void selfSigned(String name) throws Exception {
        make(name, name, subjectNames());
    }

    /** A trust store with the certificate of that name. */
    public void trust(String store, String name) throws Exception {
        KeyStore trusted = empty();
        trusted.setCertificateEntry(name, issued(name).certificate());
        write(store, trusted);
    }

    private Issued issued(String name) {
        Issued found = issued.get(name);
        if (found == null) {
            throw new IllegalArgumentException("no certificate was made for " + name);
        }
        return found;
    }

    private static Extension subjectNames(String... dnsNames) throws Exception {
        List<GeneralName> names = new ArrayList<>(List.of(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
        for (String name : dnsNames) {
            names.add(new GeneralName(GeneralName.dNSName, name));
        }
        GeneralNames all = new GeneralNames(names.toArray(GeneralName[]::new));
        return new Extension(Extension.subjectAlternativeName, false, all.getEncoded());
    }

    private void make(String name, String issuer, Extension extension) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair keys = generator.generateKeyPair();
        boolean own = name.equals(issuer);
        KeyPair signing = own ? keys : issued(issuer).keys();
        Instant now = Instant.now();
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                        new X500Name("CN=" + issuer),
                        BigInteger.valueOf(++serial),
                        Date.from(now.minus(Duration.ofMinutes(1))),
                        Date.from(now.plus(Duration.ofDays(1))),
                        new X500Name("CN=" + name),
                        keys.getPublic())
                .addExtension(extension);
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signing.getPrivate())));
        List<X509Certificate> chain = new ArrayList<>(List.of(certificate));
        if (!own) {
            chain.addAll(issued(issuer).chain());
        }
        issued.put(name, new Issued(keys, chain));
        KeyStore store = empty();
        store.setKeyEntry(name, keys.getPrivate(), PASSWORD.toCharArray(), chain.toArray(Certificate[]::new));
        write(name, store);
    }

    private static KeyStore empty() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private void write(String name, KeyStore store) throws Exception {
        try (OutputStream out = Files.newOutputStream(file(name))) {
            store.store(out, PASSWORD.toCharArray());
        }
    }
}
