package org.amo.determinism.runtime;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Stand for the random numbers of the JDK; outside an operation each is the JDK's. A method is named for the class and the
 * method that it replaces.
 */
public final class RandomSubstitutes {
    private static final long VERSION_BITS = 0xF000L;
    private static final long VERSION_4 = 0x4000L;
    private static final long VARIANT = Long.MIN_VALUE;

    private RandomSubstitutes() {}

    public static double mathRandom() {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? Math.random() : operation.random().nextDouble();
    }

    public static double strictMathRandom() {
        return mathRandom();
    }

    public static UUID uUIDRandomUUID() {
        MemberOperations operation = MemberOperations.running();
        if (operation == null) {
            return UUID.randomUUID();
        }
        byte[] bytes = new byte[2 * Long.BYTES];
        operation.nextBytes(bytes);
        ByteBuffer halves = ByteBuffer.wrap(bytes);
        long high = (halves.getLong() & ~VERSION_BITS) | VERSION_4;
        return new UUID(high, (halves.getLong() >>> 2) | VARIANT);
    }

    public static int threadLocalRandomNextInt(ThreadLocalRandom random) {
        return generator(random).nextInt();
    }

    public static int threadLocalRandomNextInt(ThreadLocalRandom random, int bound) {
        return generator(random).nextInt(bound);
    }

    public static int threadLocalRandomNextInt(ThreadLocalRandom random, int origin, int bound) {
        return generator(random).nextInt(origin, bound);
    }

    public static long threadLocalRandomNextLong(ThreadLocalRandom random) {
        return generator(random).nextLong();
    }

    public static long threadLocalRandomNextLong(ThreadLocalRandom random, long bound) {
        return generator(random).nextLong(bound);
    }

    public static long threadLocalRandomNextLong(ThreadLocalRandom random, long origin, long bound) {
        return generator(random).nextLong(origin, bound);
    }

    public static double threadLocalRandomNextDouble(ThreadLocalRandom random) {
        return generator(random).nextDouble();
    }

    public static double threadLocalRandomNextDouble(ThreadLocalRandom random, double bound) {
        return generator(random).nextDouble(bound);
    }

    public static double threadLocalRandomNextDouble(ThreadLocalRandom random, double origin, double bound) {
        return generator(random).nextDouble(origin, bound);
    }

    public static float threadLocalRandomNextFloat(ThreadLocalRandom random) {
        return generator(random).nextFloat();
    }

    public static float threadLocalRandomNextFloat(ThreadLocalRandom random, float bound) {
        return generator(random).nextFloat(bound);
    }

    public static float threadLocalRandomNextFloat(ThreadLocalRandom random, float origin, float bound) {
        return generator(random).nextFloat(origin, bound);
    }

    public static boolean threadLocalRandomNextBoolean(ThreadLocalRandom random) {
        return generator(random).nextBoolean();
    }

    public static double threadLocalRandomNextGaussian(ThreadLocalRandom random) {
        return generator(random).nextGaussian();
    }

    public static double threadLocalRandomNextGaussian(ThreadLocalRandom random, double mean, double deviation) {
        return generator(random).nextGaussian(mean, deviation);
    }

    public static double threadLocalRandomNextExponential(ThreadLocalRandom random) {
        return generator(random).nextExponential();
    }

    public static void threadLocalRandomNextBytes(ThreadLocalRandom random, byte[] bytes) {
        generator(random).nextBytes(bytes);
    }

    public static IntStream threadLocalRandomInts(ThreadLocalRandom random) {
        return generator(random).ints();
    }

    public static IntStream threadLocalRandomInts(ThreadLocalRandom random, long size) {
        return generator(random).ints(size);
    }

    public static IntStream threadLocalRandomInts(ThreadLocalRandom random, int origin, int bound) {
        return generator(random).ints(origin, bound);
    }

    public static IntStream threadLocalRandomInts(ThreadLocalRandom random, long size, int origin, int bound) {
        return generator(random).ints(size, origin, bound);
    }

    public static LongStream threadLocalRandomLongs(ThreadLocalRandom random) {
        return generator(random).longs();
    }

    public static LongStream threadLocalRandomLongs(ThreadLocalRandom random, long size) {
        return generator(random).longs(size);
    }

    public static LongStream threadLocalRandomLongs(ThreadLocalRandom random, long origin, long bound) {
        return generator(random).longs(origin, bound);
    }

    public static LongStream threadLocalRandomLongs(ThreadLocalRandom random, long size, long origin, long bound) {
        return generator(random).longs(size, origin, bound);
    }

    public static DoubleStream threadLocalRandomDoubles(ThreadLocalRandom random) {
        return generator(random).doubles();
    }

    public static DoubleStream threadLocalRandomDoubles(ThreadLocalRandom random, long size) {
        return generator(random).doubles(size);
    }

    public static DoubleStream threadLocalRandomDoubles(ThreadLocalRandom random, double origin, double bound) {
        return generator(random).doubles(origin, bound);
    }

    public static DoubleStream threadLocalRandomDoubles(
            ThreadLocalRandom random, long size, double origin, double bound) {
        return generator(random).doubles(size, origin, bound);
    }

    /** The seed of a {@link ThreadLocalRandom} depends on the thread's number, so it cannot be set: each draw is replaced. */
    private static RandomGenerator generator(ThreadLocalRandom random) {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? random : operation.random();
    }

    public static SplittableRandom splittableRandomNew() {
        return new SplittableRandom(seed());
    }

    /** A seed for a generator that is given none. */
    public static long seed() {
        MemberOperations operation = MemberOperations.running();
        return operation == null
                ? new SplittableRandom().nextLong()
                : operation.random().nextLong();
    }

    public static RandomGenerator randomGeneratorGetDefault() {
        return new OperationGenerator(RandomGenerator.getDefault());
    }

    public static RandomGenerator randomGeneratorOf(String name) {
        return new OperationGenerator(RandomGenerator.of(name));
    }

    public static void collectionsShuffle(List<?> list) {
        MemberOperations operation = MemberOperations.running();
        if (operation == null) {
            Collections.shuffle(list);
        } else {
            Collections.shuffle(list, new Random(operation.random().nextLong()));
        }
    }

    public static void collectionsShuffle(List<?> list, Random random) {
        if (random instanceof ThreadLocalRandom) {
            collectionsShuffle(list);
        } else {
            Collections.shuffle(list, random);
        }
    }

    public static SecureRandom secureRandomGetInstance(String algorithm) throws NoSuchAlgorithmException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm));
    }

    public static SecureRandom secureRandomGetInstance(String algorithm, String provider)
            throws NoSuchAlgorithmException, NoSuchProviderException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm, provider));
    }

    public static SecureRandom secureRandomGetInstance(String algorithm, Provider provider)
            throws NoSuchAlgorithmException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm, provider));
    }

    public static SecureRandom secureRandomGetInstance(String algorithm, SecureRandomParameters parameters)
            throws NoSuchAlgorithmException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm, parameters));
    }

    public static SecureRandom secureRandomGetInstance(
            String algorithm, SecureRandomParameters parameters, String provider)
            throws NoSuchAlgorithmException, NoSuchProviderException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm, parameters, provider));
    }

    public static SecureRandom secureRandomGetInstance(
            String algorithm, SecureRandomParameters parameters, Provider provider) throws NoSuchAlgorithmException {
        return new OperationSecureRandom(SecureRandom.getInstance(algorithm, parameters, provider));
    }

    public static SecureRandom secureRandomGetInstanceStrong() throws NoSuchAlgorithmException {
        return new OperationSecureRandom(SecureRandom.getInstanceStrong());
    }

    public static byte[] secureRandomGetSeed(int bytes) {
        MemberOperations operation = MemberOperations.running();
        if (operation == null) {
            return SecureRandom.getSeed(bytes);
        }
        byte[] seed = new byte[bytes];
        operation.nextBytes(seed);
        return seed;
    }

    /** A generator of the JDK; inside an operation the operation's. */
    private record OperationGenerator(RandomGenerator system) implements RandomGenerator {
        @Override
        public long nextLong() {
            MemberOperations operation = MemberOperations.running();
            return operation == null ? system.nextLong() : operation.random().nextLong();
        }

        @Override
        public boolean isDeprecated() {
            return system.isDeprecated();
        }
    }
}
