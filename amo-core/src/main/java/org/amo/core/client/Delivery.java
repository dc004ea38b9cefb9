package org.amo.core.client;

/**
 * How often one attempt that a client sends may arrive at the members. A property of the way between them, told by the shell
 * that owns it; the meaning of a refusal depends on it (docs/decisions/0050).
 */
public enum Delivery {
    /**
     * Once at most: a TCP connection, one with sealed frames or under TLS, or a call in the same process. A refusal accounts
     * for the attempt that it answers.
     */
    AT_MOST_ONCE,
    /**
     * Again, at any later time: datagrams, or a proxy that repeats requests. A refusal says nothing of a second arrival of
     * the same attempt. Only EXPIRED says that none ran and none will.
     */
    MAY_REPEAT
}
