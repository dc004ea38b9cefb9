package org.amo.replication.order.dpg;

/** Counts the datagrams that wait for the thread of a protocol, and their bytes. Any thread. */
final class DatagramRoom {
    private final int mostDatagrams;
    private final long mostBytes;
    private int datagrams;
    private long bytes;
    private long refused;

    DatagramRoom(int mostDatagrams, long mostBytes) {
        this.mostDatagrams = mostDatagrams;
        this.mostBytes = mostBytes;
    }

    /** @return false if there is no room: the datagram is to be dropped, as if the network had lost it */
    synchronized boolean take(int length) {
        if (datagrams == mostDatagrams || bytes + length > mostBytes) {
            refused++;
            return false;
        }
        datagrams++;
        bytes += length;
        return true;
    }

    /** A datagram waits no more. */
    synchronized void giveBack(int length) {
        datagrams--;
        bytes -= length;
    }

    synchronized long refused() {
        return refused;
    }
}
