package org.amo.spring;

import java.util.List;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Fails a test of {@link AmoTest} behind which the members of a group differ. */
final class AgreementListener implements TestExecutionListener {

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.getTestException() == null && test.hasApplicationContext()) {
            test.getApplicationContext()
                    .getBeanProvider(EmbeddedGroups.class)
                    .ifAvailable(groups -> check(groups.differing()));
        }
    }

    private static void check(List<String> differing) {
        if (!differing.isEmpty()) {
            throw new AssertionError("the members of these groups do not agree: " + differing
                    + ". Their services are not deterministic; ask ReplicaContext for time and random numbers, and do not"
                    + " return what depends on the order of a hash table");
        }
    }
}
