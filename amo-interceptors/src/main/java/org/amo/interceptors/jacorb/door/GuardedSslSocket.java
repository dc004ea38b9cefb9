package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import javax.net.ssl.HandshakeCompletedListener;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A connection of an SSLIOP port; its {@link GuardedConnection} keeps the limits, which count decrypted bytes. Everything
 * else is left to the socket that JacORB's own factory made.
 */
final class GuardedSslSocket extends SSLSocket {
    private final SSLSocket inner;
    private final GuardedConnection connection;

    GuardedSslSocket(GiopDoor door, SSLSocket inner) {
        this.inner = inner;
        this.connection = new GuardedConnection(door, inner, inner);
    }

    GuardedConnection connection() {
        return connection;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return connection.input(inner.getInputStream());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return connection.output(inner.getOutputStream());
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void close() {
        connection.close();
    }

    // ---- the socket

    @Override
    public void connect(SocketAddress address) throws IOException {
        inner.connect(address);
    }

    @Override
    public void connect(SocketAddress address, int timeoutMillis) throws IOException {
        inner.connect(address, timeoutMillis);
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        inner.bind(address);
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return inner.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return inner.getLocalAddress();
    }

    @Override
    public int getPort() {
        return inner.getPort();
    }

    @Override
    public int getLocalPort() {
        return inner.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return inner.getRemoteSocketAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return inner.getLocalSocketAddress();
    }

    @Override
    public @Nullable SocketChannel getChannel() {
        return inner.getChannel();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        inner.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return inner.getTcpNoDelay();
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        inner.setSoLinger(on, seconds);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return inner.getSoLinger();
    }

    @Override
    public void sendUrgentData(int value) throws IOException {
        inner.sendUrgentData(value);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        inner.setOOBInline(on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return inner.getOOBInline();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void setSoTimeout(int millis) throws SocketException {
        inner.setSoTimeout(millis);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public int getSoTimeout() throws SocketException {
        return inner.getSoTimeout();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void setSendBufferSize(int bytes) throws SocketException {
        inner.setSendBufferSize(bytes);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public int getSendBufferSize() throws SocketException {
        return inner.getSendBufferSize();
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public void setReceiveBufferSize(int bytes) throws SocketException {
        inner.setReceiveBufferSize(bytes);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized")
    public int getReceiveBufferSize() throws SocketException {
        return inner.getReceiveBufferSize();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        inner.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return inner.getKeepAlive();
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        inner.setTrafficClass(trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return inner.getTrafficClass();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        inner.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return inner.getReuseAddress();
    }

    @Override
    public void shutdownInput() throws IOException {
        inner.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        inner.shutdownOutput();
    }

    @Override
    public boolean isConnected() {
        return inner.isConnected();
    }

    @Override
    public boolean isBound() {
        return inner.isBound();
    }

    @Override
    public boolean isClosed() {
        return inner.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return inner.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return inner.isOutputShutdown();
    }

    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        inner.setPerformancePreferences(connectionTime, latency, bandwidth);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return inner.supportedOptions();
    }

    @Override
    public String toString() {
        return inner.toString();
    }

    // ---- TLS

    @Override
    public String[] getSupportedCipherSuites() {
        return inner.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return inner.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        inner.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return inner.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return inner.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        inner.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return inner.getSession();
    }

    @Override
    public @Nullable SSLSession getHandshakeSession() {
        return inner.getHandshakeSession();
    }

    @Override
    public void addHandshakeCompletedListener(HandshakeCompletedListener listener) {
        inner.addHandshakeCompletedListener(listener);
    }

    @Override
    public void removeHandshakeCompletedListener(HandshakeCompletedListener listener) {
        inner.removeHandshakeCompletedListener(listener);
    }

    @Override
    public void startHandshake() throws IOException {
        inner.startHandshake();
    }

    @Override
    public void setUseClientMode(boolean client) {
        inner.setUseClientMode(client);
    }

    @Override
    public boolean getUseClientMode() {
        return inner.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        inner.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return inner.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        inner.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return inner.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean enabled) {
        inner.setEnableSessionCreation(enabled);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return inner.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return inner.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        inner.setSSLParameters(parameters);
    }

    @Override
    public @Nullable String getApplicationProtocol() {
        return inner.getApplicationProtocol();
    }

    @Override
    public @Nullable String getHandshakeApplicationProtocol() {
        return inner.getHandshakeApplicationProtocol();
    }

    @Override
    public <T> SSLSocket setOption(SocketOption<T> name, T value) throws IOException {
        inner.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return inner.getOption(name);
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(BiFunction<SSLSocket, List<String>, String> selector) {
        inner.setHandshakeApplicationProtocolSelector(selector);
    }

    @Override
    public @Nullable BiFunction<SSLSocket, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return inner.getHandshakeApplicationProtocolSelector();
    }
}
