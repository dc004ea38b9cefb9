package org.amo.interceptors.jacorb.door;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/** Counts the connections of a server socket. {@link #accept} gives out those that may stay. Any thread. */
final class GuardedServerSocket extends ServerSocket {
    private final GiopDoor door;

    /** Not bound yet. */
    public GuardedServerSocket(GiopDoor door) throws IOException {
        this.door = door;
    }

    @Override
    public Socket accept() throws IOException {
        while (true) {
            GuardedSocket socket = new GuardedSocket(door);
            try {
                implAccept(socket);
            } catch (IOException e) {
                GiopDoor.pause();
                throw e;
            }
            if (door.arrive(socket.connection())) {
                return socket;
            }
            socket.close();
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        super.close();
    }
}
