package org.amo.sim;

/** Stops a run at the first check that fails. */
final class SimViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String detail;

    SimViolationException(String rule, String detail) {
        super(detail);
        this.rule = rule;
        this.detail = detail;
    }

    String detail() {
        return detail;
    }

    String rule() {
        return rule;
    }
}
