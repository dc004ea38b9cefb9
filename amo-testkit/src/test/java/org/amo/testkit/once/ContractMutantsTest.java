package org.amo.testkit.once;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.amo.once.IdempotencyKey;
import org.amo.testkit.once.InMemoryResultStore.Failure;
import org.amo.testkit.once.InMemoryResultStore.Numbers;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Each promise that a store could break, and the test of the contract that finds it. */
@Timeout(60)
final class ContractMutantsTest {
    @TestFactory
    Stream<DynamicTest> theContractFindsThem() {
        return Stream.of(
                found(
                        "the record is written outside of the transaction",
                        RecordOutside::new,
                        ResultStoreContract::aCommitThatWasNotHeardRunsAgain),
                found(
                        "the low-water mark passes a call before its reply is stored",
                        MarkNotAsked::new,
                        ResultStoreContract::aCallWhoseKeyFallsBelowTheMarkUnderItsWorkIsRefused),
                found(
                        "a lease ends while a write is under way, and the write commits",
                        LeaseNotAsked::new,
                        ResultStoreContract::aLeaseThatEndsUnderTheWorkDoesNotLetItRunTwice),
                found("the key has no tenant", WithoutTenant::new, ResultStoreContract::tenantsHaveKeysOfTheirOwn),
                found(
                        "tenant and text are put together without a mark between them",
                        JoinedKey::new,
                        ResultStoreContract::tenantsHaveKeysOfTheirOwn),
                found(
                        "a claim does not hold",
                        WithoutFence::new,
                        ResultStoreContract::aCommitThatLandsLateDoesNotBelieTheAnswer),
                found(
                        "the cleaner removes live records",
                        LiveRecordsRemoved::new,
                        ResultStoreContract::theCleanerTakesExpiredRecordsOnly),
                found(
                        "the mark is not raised",
                        MarkNotRaised::new,
                        ResultStoreContract::aTimedKeyBehindItsRemovalIsRefused),
                found("the mark may fall", MarkMayFall::new, ResultStoreContract::theMarkNeverFalls));
    }

    private interface Scenario {
        void run(ResultStoreContract<Numbers, Failure> contract) throws Exception;
    }

    private static DynamicTest found(String name, Function<Clock, InMemoryResultStore> mutant, Scenario scenario) {
        InMemoryContract contract = new InMemoryContract() {
            @Override
            InMemoryResultStore make(Clock clock) {
                return mutant.apply(clock);
            }
        };
        InMemoryContract sound = new InMemoryContract() {
            @Override
            InMemoryResultStore make(Clock clock) {
                return new InMemoryResultStore(clock);
            }
        };
        return DynamicTest.dynamicTest(name, () -> {
            scenario.run(sound);
            AssertionError why = assertThrows(AssertionError.class, () -> scenario.run(contract));
            System.out.println(name + ": " + why.getMessage());
        });
    }

    /** Commits the record at the end of the work, and the changes later. */
    private static final class RecordOutside extends InMemoryResultStore {
        RecordOutside(Clock clock) {
            super(clock);
        }

        @Override
        public Transaction<Numbers, Failure> begin() {
            return new Attempt(this) {
                private Optional<Request> claimed = Optional.empty();

                @Override
                public boolean claim(Request request, Duration limit, boolean judge) {
                    claimed = Optional.of(request);
                    return super.claim(request, limit, judge);
                }

                @Override
                public boolean complete(byte[] reply) {
                    super.complete(reply);
                    putRecord(claimed.orElseThrow());
                    return true;
                }
            };
        }

        @Override
        boolean mayCommit(boolean isClaimed, Optional<Instant> created) {
            return true;
        }
    }

    private static final class MarkNotAsked extends InMemoryResultStore {
        MarkNotAsked(Clock clock) {
            super(clock);
        }

        @Override
        boolean mayCommit(boolean isClaimed, Optional<Instant> created) {
            return isClaimed;
        }
    }

    private static final class LeaseNotAsked extends InMemoryResultStore {
        LeaseNotAsked(Clock clock) {
            super(clock);
        }

        @Override
        boolean mayCommit(boolean isClaimed, Optional<Instant> created) {
            return super.mayCommit(true, created);
        }
    }

    private static final class WithoutTenant extends InMemoryResultStore {
        WithoutTenant(Clock clock) {
            super(clock);
        }

        @Override
        List<ByteBuffer> keyOf(IdempotencyKey key) {
            return List.of(ByteBuffer.wrap(key.textBytes()));
        }
    }

    private static final class JoinedKey extends InMemoryResultStore {
        JoinedKey(Clock clock) {
            super(clock);
        }

        @Override
        List<ByteBuffer> keyOf(IdempotencyKey key) {
            byte[] tenant = key.tenantBytes();
            byte[] text = key.textBytes();
            ByteBuffer joined = ByteBuffer.allocate(tenant.length + text.length);
            return List.of(joined.put(tenant).put(text).flip());
        }
    }

    /** Takes a claim from the transaction that has it, which commits nevertheless. */
    private static final class WithoutFence extends InMemoryResultStore {
        WithoutFence(Clock clock) {
            super(clock);
        }

        @Override
        public Transaction<Numbers, Failure> begin() {
            return new Attempt(this) {
                @Override
                public void end() {}
            };
        }

        @Override
        boolean isHeld(Row row) {
            return false;
        }

        @Override
        boolean mayCommit(boolean isClaimed, Optional<Instant> created) {
            return true;
        }
    }

    private static final class LiveRecordsRemoved extends InMemoryResultStore {
        LiveRecordsRemoved(Clock clock) {
            super(clock);
        }

        @Override
        boolean isExpired(Row row) {
            return true;
        }
    }

    private static final class MarkNotRaised extends InMemoryResultStore {
        MarkNotRaised(Clock clock) {
            super(clock);
        }

        @Override
        void raise(Instant created) {}
    }

    private static final class MarkMayFall extends InMemoryResultStore {
        MarkMayFall(Clock clock) {
            super(clock);
        }

        @Override
        void raise(Instant created) {
            setForgottenTo(created);
        }
    }
}
