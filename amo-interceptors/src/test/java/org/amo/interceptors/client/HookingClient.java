package org.amo.interceptors.client;

import AmoClientTest.Counter;
import AmoClientTest.CounterHelper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.omg.CORBA.ORB;

/** A program that knows nothing of amo, and calls once more while its process ends. */
final class HookingClient {
    private HookingClient() {}

    public static void main(String[] args) {
        ORB orb = ORB.init(new String[0], null);
        Counter counter = CounterHelper.narrow(orb.string_to_object(args[0]));
        System.out.println(counter.add(1));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            awaitByte();
            System.out.println(counter.add(1));
        }));
        awaitByte();
    }

    /** The next one from the test, or its end. */
    private static void awaitByte() {
        try {
            System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
