package org.amo.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Has Spring Boot print the one line of a {@link GroupStartException} in the place of its stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<GroupStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, GroupStartException why) {
        return new FailureAnalysis(String.valueOf(why.getMessage()), null, why);
    }
}
