package org.amo.sim;

/** Stops a run at the first check that fails. */
public final class SimViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String detail;

    public SimViolationException(String rule, String detail) {
        super(detail);
        this.rule = rule;
        this.detail = detail;
    }

    public String detail() {
        return detail;
    }

    public String rule() {
        return rule;
    }
}
