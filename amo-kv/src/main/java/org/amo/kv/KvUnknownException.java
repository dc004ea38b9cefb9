package org.amo.kv;

/**
 * The call ran once or not at all, and this client will not find out: its lease or its deadline ended first. To make the
 * call again is another call.
 */
public final class KvUnknownException extends KvException {
    private static final long serialVersionUID = 1L;

    public KvUnknownException(String message) {
        super(message);
    }

    @Override
    public boolean mayHaveRun() {
        return true;
    }
}
