package org.amo.jdbc;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.amo.jdbc.OnceScenarios.Scenario;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceException;
import org.amo.once.ResultStore.Request;
import org.amo.testkit.once.ResultStoreContract;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Each rule that a store could leave out, and the scenario of the contract that finds it, over H2. */
@Timeout(60)
final class OnceMutantsTest {
    private final TestDatabase database = TestDatabase.h2("mutants");

    @TestFactory
    Stream<DynamicTest> theContractFindsThem() {
        return Stream.of(
                foundByContract(
                        "the record is written outside of the transaction",
                        RecordOutside::new,
                        ResultStoreContract::aCommitThatWasNotHeardRunsAgain),
                foundByContract(
                        "the key has no tenant", WithoutTenant::new, ResultStoreContract::tenantsHaveKeysOfTheirOwn),
                foundByContract(
                        "the record is looked for without the fence",
                        WithoutFence::new,
                        ResultStoreContract::aCommitThatLandsLateDoesNotBelieTheAnswer),
                foundByContract(
                        "the cleaner removes live records",
                        LiveRecordsRemoved::new,
                        ResultStoreContract::theCleanerTakesExpiredRecordsOnly),
                foundByContract(
                        "the bound is not raised",
                        BoundNotRaised::new,
                        ResultStoreContract::aTimedKeyBehindItsRemovalIsRefused),
                foundByContract(
                        "a lost commit of a key that is too old by now is not waited for",
                        JudgedFirst::new,
                        ResultStoreContract::aLateCommitOfAKeyThatIsTooOldByNowIsWaitedFor),
                found("the bound may fall", BoundMayFall::new, OnceScenarios::theBoundNeverFalls),
                found(
                        "the retention is not asked at the end of the work",
                        RetentionNotAsked::new,
                        OnceScenarios::workThatOutlivesTheRetentionIsRolledBack));
    }

    interface Promise {
        void test(ResultStoreContract<Connection, SQLException> contract) throws Exception;
    }

    private DynamicTest foundByContract(String name, Callable<OnceStore> mutant, Promise promise) {
        return foundByContract(database, name, mutant, promise);
    }

    static DynamicTest foundByContract(
            TestDatabase database, String name, Callable<OnceStore> mutant, Promise promise) {
        return DynamicTest.dynamicTest(name, () -> {
            database.reset();
            OnceStores stores = stores(mutant.call());
            OnceContract contract = new OnceContract() {
                @Override
                TestDatabase database() {
                    return database;
                }

                @Override
                OnceStores stores() {
                    return stores;
                }
            };
            assertThrows(AssertionError.class, () -> promise.test(contract));
        });
    }

    private static OnceStores stores(OnceStore store) {
        return new OnceStores() {
            @Override
            OnceStore open(Connection connection) {
                return store;
            }
        };
    }

    private DynamicTest found(String name, Callable<OnceStore> mutant, Scenario scenario) {
        return DynamicTest.dynamicTest(name, () -> {
            database.reset();
            OnceStores stores = stores(mutant.call());
            assertThrows(AssertionError.class, () -> scenario.run(new OnceScenarios(database, stores)));
        });
    }

    /** Commits the reply on a connection of its own. */
    private final class RecordOutside extends H2Store {
        @Override
        Optional<TransactionId> claim(Connection connection, Request request, Duration limit, boolean judge)
                throws SQLException {
            try (Connection other = database.source().getConnection()) {
                return super.claim(other, request, limit, judge);
            }
        }

        @Override
        boolean complete(Connection connection, Request request, byte[] reply, TransactionId transaction)
                throws SQLException {
            try (Connection other = database.source().getConnection()) {
                return super.complete(other, request, reply, transaction);
            }
        }
    }

    private static final class WithoutTenant extends H2Store {
        @Override
        byte[] tenantOf(IdempotencyKey key) {
            return new byte[0];
        }
    }

    /** Reads before the work, and inserts behind it. */
    private static final class WithoutFence extends H2Store {
        @Override
        Optional<TransactionId> claim(Connection connection, Request request, Duration limit, boolean judge)
                throws SQLException {
            return read(connection, request.key()).isPresent() ? Optional.empty() : Optional.of(TransactionId.LOCAL);
        }

        @Override
        boolean complete(Connection connection, Request request, byte[] reply, TransactionId transaction)
                throws SQLException {
            return super.claim(connection, request, request.options().lockTimeout(), true)
                            .isPresent()
                    && super.complete(connection, request, reply, transaction);
        }
    }

    private static final class LiveRecordsRemoved extends H2Store {
        @Override
        String expired() {
            return "expires_at > CURRENT_TIMESTAMP - INTERVAL '1' HOUR";
        }
    }

    private static final class JudgedFirst extends H2Store {
        @Override
        Optional<TransactionId> claim(Connection connection, Request request, Duration limit, boolean judge)
                throws SQLException {
            Optional<OnceException> refusal = refusal(connection, request);
            if (refusal.isPresent()) {
                throw refusal.get();
            }
            return super.claim(connection, request, limit, judge);
        }
    }

    private static final class BoundNotRaised extends H2Store {
        @Override
        void raise(Connection connection, Optional<OffsetDateTime> removed) {}
    }

    private static final class BoundMayFall extends H2Store {
        @Override
        void raise(Connection connection, Optional<OffsetDateTime> removed) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE amo_once_state SET forgotten_to = ?")) {
                update.setObject(1, removed.orElseThrow());
                update.executeUpdate();
            }
        }
    }

    private static final class RetentionNotAsked extends H2Store {
        @Override
        boolean complete(Connection connection, Request request, byte[] reply, TransactionId transaction)
                throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE amo_once SET reply = ?")) {
                update.setBytes(1, reply);
                return update.executeUpdate() == 1;
            }
        }
    }
}
