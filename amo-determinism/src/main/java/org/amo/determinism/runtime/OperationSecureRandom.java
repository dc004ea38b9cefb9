package org.amo.determinism.runtime;

import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.security.SecureRandomSpi;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Stands for {@link SecureRandom}. Inside an operation its bytes follow from the group's key and the request. */
public class OperationSecureRandom extends SecureRandom {
    private static final long serialVersionUID = 1L;

    /** Empty if a class of the application brings the engine, or if the object was read. */
    private final transient @Nullable SecureRandom system;

    public OperationSecureRandom() {
        this(new SecureRandom());
    }

    public OperationSecureRandom(byte[] seed) {
        this(new SecureRandom(seed));
    }

    /** For classes of the application that bring an engine. */
    protected OperationSecureRandom(SecureRandomSpi engine, Provider provider) {
        super(engine, provider);
        system = null;
    }

    OperationSecureRandom(SecureRandom system) {
        super(new Engine(system), system.getProvider());
        this.system = system;
    }

    @Override
    public String getAlgorithm() {
        return system == null ? super.getAlgorithm() : system.getAlgorithm();
    }

    @Override
    public @Nullable SecureRandomParameters getParameters() {
        return system == null ? super.getParameters() : system.getParameters();
    }

    @Override
    public void nextBytes(byte[] bytes, SecureRandomParameters parameters) {
        if (MemberOperations.isRunning()) {
            nextBytes(bytes);
        } else if (system == null) {
            super.nextBytes(bytes, parameters);
        } else {
            system.nextBytes(bytes, parameters);
        }
    }

    /** Inside an operation without the second number of a pair, which {@link java.util.Random} keeps for the next call. */
    @Override
    public synchronized double nextGaussian() {
        if (!MemberOperations.isRunning()) {
            return super.nextGaussian();
        }
        // This object itself would come back here.
        RandomGenerator numbers = () -> nextLong();
        return numbers.nextGaussian();
    }

    @Override
    public void reseed() {
        if (system == null) {
            super.reseed();
        } else if (!MemberOperations.isRunning()) {
            system.reseed();
        }
    }

    @Override
    public void reseed(SecureRandomParameters parameters) {
        if (system == null) {
            super.reseed(parameters);
        } else if (!MemberOperations.isRunning()) {
            system.reseed(parameters);
        }
    }

    @Override
    public String toString() {
        return system == null ? super.toString() : system.toString();
    }

    private Object writeReplace() {
        return system == null ? this : new Form();
    }

    /** Of a subclass of the application, for which the form below cannot stand. */
    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        if (getClass() == OperationSecureRandom.class) {
            throw new InvalidObjectException("its serial form is another class");
        }
        in.defaultReadObject();
    }

    /** It has no state worth keeping. */
    private static final class Form implements Serializable {
        private static final long serialVersionUID = 1L;

        private Object readResolve() {
            return new OperationSecureRandom();
        }
    }

    private static final class Engine extends SecureRandomSpi {
        private static final long serialVersionUID = 1L;

        private final transient SecureRandom system;

        Engine(SecureRandom system) {
            this.system = system;
        }

        private Object readResolve() {
            return new Engine(new SecureRandom());
        }

        /** A seed adds to the randomness; inside an operation there is nothing to add to. */
        @Override
        protected void engineSetSeed(byte[] seed) {
            if (!MemberOperations.isRunning()) {
                system.setSeed(seed);
            }
        }

        @Override
        protected void engineNextBytes(byte[] bytes) {
            MemberOperations operation = MemberOperations.running();
            if (operation == null) {
                system.nextBytes(bytes);
            } else {
                operation.nextBytes(bytes);
            }
        }

        @Override
        protected byte[] engineGenerateSeed(int length) {
            MemberOperations operation = MemberOperations.running();
            if (operation == null) {
                return system.generateSeed(length);
            }
            byte[] seed = new byte[length];
            operation.nextBytes(seed);
            return seed;
        }
    }
}
