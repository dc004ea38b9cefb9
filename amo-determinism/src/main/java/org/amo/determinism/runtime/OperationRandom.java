package org.amo.determinism.runtime;

import java.util.Random;

/**
 * Stands for {@link Random}. Inside an operation it draws from the operation's numbers, wherever it was made, unless the
 * application has given it a seed.
 */
public class OperationRandom extends Random {
    private static final long serialVersionUID = 1L;

    /** Set by {@link #setSeed}, which the constructor of {@link Random} calls: it must have no initial value here. */
    private boolean seeded;

    public OperationRandom() {
        super();
        seeded = false;
    }

    public OperationRandom(long seed) {
        super(seed);
    }

    @Override
    public synchronized void setSeed(long seed) {
        seeded = true;
        super.setSeed(seed);
    }

    @Override
    protected int next(int bits) {
        MemberOperations operation = seeded ? null : MemberOperations.running();
        return operation == null ? super.next(bits) : (int) (operation.random().nextLong() >>> (Long.SIZE - bits));
    }

    /** Without the second number of a pair, which {@link Random} keeps for the next call. */
    @Override
    public synchronized double nextGaussian() {
        MemberOperations operation = seeded ? null : MemberOperations.running();
        return operation == null ? super.nextGaussian() : operation.random().nextGaussian();
    }
}
