package org.amo.core.sim;

/** Stops a run at the first check that fails. */
final class SimViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    SimViolationException(String rule, String detail) {
        super(detail);
        this.rule = rule;
    }

    String rule() {
        return rule;
    }
}
