package org.amo.jdbc;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.amo.jdbc.OnceScenarios.Scenario;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Runs the scenarios over one database. */
@Timeout(60)
abstract class OnceContract {
    static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();

    static {
        SCENARIOS.put("a retry gets the stored reply", OnceScenarios::aRetryGetsTheStoredReply);
        SCENARIOS.put("another request under the key is refused", OnceScenarios::anotherRequestUnderTheKeyIsRefused);
        SCENARIOS.put("tenants have keys of their own", OnceScenarios::tenantsHaveKeysOfTheirOwn);
        SCENARIOS.put("keys differ by each byte", OnceScenarios::keysDifferByEachByte);
        SCENARIOS.put("an exception of the work leaves nothing", OnceScenarios::anExceptionOfTheWorkLeavesNothing);
        SCENARIOS.put("concurrent duplicates run once", OnceScenarios::concurrentDuplicatesRunOnce);
        SCENARIOS.put("a duplicate waits no longer than it may", OnceScenarios::aDuplicateWaitsNoLongerThanItMay);
        SCENARIOS.put("a commit whose answer is lost is found", OnceScenarios::aCommitWhoseAnswerIsLostIsFound);
        SCENARIOS.put("a commit that was not heard runs again", OnceScenarios::aCommitThatWasNotHeardRunsAgain);
        SCENARIOS.put(
                "a commit that was not heard is told when no attempt is left",
                OnceScenarios::aCommitThatWasNotHeardIsToldWhenNoAttemptIsLeft);
        SCENARIOS.put(
                "a commit that lands late does not belie the answer",
                OnceScenarios::aCommitThatLandsLateDoesNotBelieTheAnswer);
        SCENARIOS.put(
                "a late commit of a key that is too old by now is waited for",
                OnceScenarios::aLateCommitOfAKeyThatIsTooOldByNowIsWaitedFor);
        SCENARIOS.put(
                "a connection to something else is the work's own to lose",
                OnceScenarios::aConnectionToSomethingElseIsTheWorksOwnToLose);
        SCENARIOS.put("a rollback by the database is tried again", OnceScenarios::aRollbackByTheDatabaseIsTriedAgain);
        SCENARIOS.put("the work runs no more often than it may", OnceScenarios::theWorkRunsNoMoreOftenThanItMay);
        SCENARIOS.put("the work cannot end the transaction", OnceScenarios::theWorkCannotEndTheTransaction);
        SCENARIOS.put(
                "work that outlives the retention is rolled back",
                OnceScenarios::workThatOutlivesTheRetentionIsRolledBack);
        SCENARIOS.put("a reply that is too long is rolled back", OnceScenarios::aReplyThatIsTooLongIsRolledBack);
        SCENARIOS.put("the cleaner takes expired records only", OnceScenarios::theCleanerTakesExpiredRecordsOnly);
        SCENARIOS.put("the cleaner works in batches", OnceScenarios::theCleanerWorksInBatches);
        SCENARIOS.put("a record stays for the retention", OnceScenarios::aRecordStaysForTheRetention);
        SCENARIOS.put("a timed key behind its removal is refused", OnceScenarios::aTimedKeyBehindItsRemovalIsRefused);
        SCENARIOS.put(
                "a timed key is judged again behind the wait for the cleaner",
                OnceScenarios::aTimedKeyIsJudgedAgainBehindTheWaitForTheCleaner);
        SCENARIOS.put("a time far from the database's is refused", OnceScenarios::aTimeFarFromTheDatabasesIsRefused);
        SCENARIOS.put("the bound never falls", OnceScenarios::theBoundNeverFalls);
        SCENARIOS.put(
                "the cleaner's thread removes until it is closed",
                OnceScenarios::theCleanersThreadRemovesUntilItIsClosed);
        SCENARIOS.put("an interrupt ends the call and stays", OnceScenarios::anInterruptEndsTheCallAndStays);
        SCENARIOS.put("a missing migration is told in one line", OnceScenarios::aMissingMigrationIsToldInOneLine);
        SCENARIOS.put(
                "a migration that gets lost is told in one line", OnceScenarios::aMigrationThatGetsLostIsToldInOneLine);
        SCENARIOS.put("an interrupted migration is run again", OnceScenarios::anInterruptedMigrationIsRunAgain);
        SCENARIOS.put("another version is told in one line", OnceScenarios::anotherVersionIsToldInOneLine);
    }

    abstract TestDatabase database() throws Exception;

    @TestFactory
    Stream<DynamicTest> contract() throws Exception {
        TestDatabase database = database();
        return SCENARIOS.entrySet().stream()
                .map(scenario -> DynamicTest.dynamicTest(scenario.getKey(), () -> {
                    database.reset();
                    scenario.getValue().run(new OnceScenarios(database, new OnceStores()));
                }));
    }
}
