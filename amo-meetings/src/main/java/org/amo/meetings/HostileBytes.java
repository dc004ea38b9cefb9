package org.amo.meetings;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that decoders withstand hostile bytes: a class that implements it gets them by naming its decoders. A decoder accepts a
 * frame or refuses it by the exception that it declares, and allocates little for it.
 */
public interface HostileBytes {
    /** The decoders under test. */
    List<Decoder> decoders();

    /** In each build. */
    @TestFactory
    default Stream<DynamicTest> mutatedFramesAreReadOrRefusedAtLittleCost() {
        return each(decoder -> MutatedFrames.check(decoder, 3_000));
    }

    /** In the slow profile. */
    @TestFactory
    @Tag("slow")
    default Stream<DynamicTest> aMillionMutatedFramesAreReadOrRefusedAtLittleCost() {
        return each(decoder -> MutatedFrames.check(decoder, 1_000_000));
    }

    /** In the slow profile, in a process of its own. */
    @TestFactory
    @Tag("slow")
    default Stream<DynamicTest> framesThatJazzerFindsAreReadOrRefused() {
        return each(decoder -> FuzzedDecoder.run(getClass(), decoder, Duration.ofSeconds(60)));
    }

    private Stream<DynamicTest> each(Consumer<Decoder> test) {
        return decoders().stream().map(decoder -> DynamicTest.dynamicTest(decoder.name(), () -> test.accept(decoder)));
    }
}
