package org.amo.interceptors.client;

import AmoClientTest.CounterHelper;
import org.omg.CORBA.ORB;

/** A program that knows nothing of amo: one call, and its main ends. */
final class ExitingClient {
    private ExitingClient() {}

    public static void main(String[] args) {
        ORB orb = ORB.init(new String[0], null);
        System.out.println(CounterHelper.narrow(orb.string_to_object(args[0])).add(1));
    }
}
