package org.amo.interceptors.server;

import AmoClientTest.CounterPOA;
import AmoClientTest.Refused;
import AmoClientTest.WithAny;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.Any;

/** A servant outside of any group that counts what is asked of it; oneways are not counted, since nothing waits for them. */
class CounterOfCalls extends CounterPOA {
    private final AtomicInteger calls = new AtomicInteger();

    int calls() {
        return calls.get();
    }

    /** Counts from the first again. */
    void forget() {
        calls.set(0);
    }

    @Override
    public String label() {
        calls.incrementAndGet();
        return "counter";
    }

    @Override
    public void label(String value) {
        calls.incrementAndGet();
    }

    @Override
    public int add(int delta) {
        return calls.incrementAndGet();
    }

    @Override
    public int fail(int code) throws Refused {
        calls.incrementAndGet();
        throw new Refused("", code);
    }

    @Override
    public void failWithAny(int code) throws WithAny {
        calls.incrementAndGet();
        Any content = _orb().create_any();
        content.insert_string("content");
        throw new WithAny("before", code, content, content, "after");
    }

    @Override
    public void failSystem(int code) {
        calls.incrementAndGet();
        throw new org.omg.CORBA.BAD_CONTEXT();
    }

    @Override
    public void note(int value) {
        // Not counted.
    }

    @Override
    public String echo(String text) {
        calls.incrementAndGet();
        return text;
    }

    @Override
    public int slow(int millis) {
        return calls.incrementAndGet();
    }
}
