package org.amo.benchmarks.link;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The system calls that Java has no method for. Each throws {@link LastErrorException} with errno. */
final class LinuxCalls {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x8_0000;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final long TUNSETIFF = 0x4004_54caL;
    private static final short IFF_TUN = 1;
    private static final short IFF_NO_PI = 0x1000;
    private static final short IFF_UP = 1;
    private static final long SIOCSIFADDR = 0x8916;
    private static final long SIOCSIFNETMASK = 0x891c;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final long SIOCSIFTXQLEN = 0x8943;
    private static final int IFREQ_BYTES = 40;
    private static final int NAME_BYTES = 16;
    private static final short POLLIN = 1;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;
    private static final int SCHED_FIFO = 1;

    static {
        Native.register(LinuxCalls.class, "c");
    }

    private LinuxCalls() {}

    private static native int unshare(int flags) throws LastErrorException;

    private static native int open(String path, int flags) throws LastErrorException;

    private static native int close(int fd) throws LastErrorException;

    private static native int socket(int domain, int type, int protocol) throws LastErrorException;

    private static native int ioctl(int fd, NativeLong request, byte[] argument) throws LastErrorException;

    // These are called for each packet and mostly find nothing: no exceptions.
    private static native NativeLong read(int fd, byte[] buffer, NativeLong count);

    private static native NativeLong write(int fd, byte[] buffer, NativeLong count);

    private static native int ppoll(byte[] fds, NativeLong count, long[] timeout, Pointer mask);

    private static native int sched_setscheduler(int thread, int policy, int[] parameter);

    /** From now on this thread, and threads and processes that it starts, have a network of their own. */
    static void ownNetwork() {
        unshare(CLONE_NEWNET);
    }

    /** Makes a TUN device in this thread's network; returns its descriptor, which any thread may use. */
    static int openTun(String name) {
        int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
        byte[] request = request(name);
        request[NAME_BYTES] = (byte) (IFF_TUN | IFF_NO_PI);
        request[NAME_BYTES + 1] = (byte) ((IFF_TUN | IFF_NO_PI) >>> 8);
        ioctl(fd, new NativeLong(TUNSETIFF), request);
        return fd;
    }

    /** Gives a device of this thread's network an address 10.77.0.x/24 and starts it. */
    static void start(String name, int lastByte, int queueLength) {
        int socket = socket(AF_INET, SOCK_DGRAM, 0);
        try {
            ioctl(socket, new NativeLong(SIOCSIFADDR), address(name, 10, 77, 0, lastByte));
            ioctl(socket, new NativeLong(SIOCSIFNETMASK), address(name, 255, 255, 255, 0));
            byte[] length = request(name);
            length[NAME_BYTES] = (byte) queueLength;
            length[NAME_BYTES + 1] = (byte) (queueLength >>> 8);
            ioctl(socket, new NativeLong(SIOCSIFTXQLEN), length);
            up(socket, name);
        } finally {
            close(socket);
        }
    }

    /** Starts this thread's loopback device. */
    static void startLoopback() {
        int socket = socket(AF_INET, SOCK_DGRAM, 0);
        try {
            up(socket, "lo");
        } finally {
            close(socket);
        }
    }

    /** Bytes read, or 0 when nothing waits. */
    static int readPacket(int fd, byte[] buffer) {
        int length = read(fd, buffer, new NativeLong(buffer.length)).intValue();
        if (length < 0 && Native.getLastError() != EAGAIN && Native.getLastError() != EINTR) {
            throw new LastErrorException(Native.getLastError());
        }
        return Math.max(0, length);
    }

    /** False if the device has no room for it. */
    static boolean writePacket(int fd, byte[] packet) {
        return write(fd, packet, new NativeLong(packet.length)).intValue() == packet.length;
    }

    /**
     * Waits until one of two descriptors can be read, or for the time.
     *
     * @return 1 for the one, 2 for the other, 3 for both, 0 for none
     */
    static int await(int one, int other, long nanos) {
        byte[] fds = new byte[16];
        putInt(fds, 0, one);
        fds[4] = POLLIN;
        putInt(fds, 8, other);
        fds[12] = POLLIN;
        int ready =
                ppoll(fds, new NativeLong(2), new long[] {nanos / 1_000_000_000, nanos % 1_000_000_000}, Pointer.NULL);
        if (ready < 0 && Native.getLastError() != EINTR) {
            throw new LastErrorException(Native.getLastError());
        }
        return ready <= 0 ? 0 : (fds[6] & POLLIN) | (fds[14] & POLLIN) << 1;
    }

    /** Lets this thread run before all others, where that is permitted. */
    static boolean runFirst() {
        return sched_setscheduler(0, SCHED_FIFO, new int[] {1}) == 0;
    }

    static void closeDescriptor(int fd) {
        close(fd);
    }

    private static void up(int socket, String name) {
        byte[] flags = request(name);
        flags[NAME_BYTES] = (byte) IFF_UP;
        ioctl(socket, new NativeLong(SIOCSIFFLAGS), flags);
    }

    private static byte[] address(String name, int... bytes) {
        byte[] request = request(name);
        request[NAME_BYTES] = AF_INET;
        for (int i = 0; i < bytes.length; i++) {
            request[NAME_BYTES + 4 + i] = (byte) bytes[i];
        }
        return request;
    }

    private static byte[] request(String name) {
        return Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), IFREQ_BYTES);
    }

    private static void putInt(byte[] bytes, int at, int value) {
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (value >>> (8 * i));
        }
    }
}
