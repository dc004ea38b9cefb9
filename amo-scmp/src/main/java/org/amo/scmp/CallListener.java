package org.amo.scmp;

/** Is told how a call ended, once. */
@FunctionalInterface
public interface CallListener {
    void onOutcome(CallOutcome outcome);
}
