package org.amo.linearizable.rocksdb;

/** When a result leaves. */
public enum Durability {
    /** After an fsync, which calls that wait at the same time share. Survives the loss of power. */
    FSYNC,
    /** After the kernel has the write. Survives kill -9, not the loss of power. */
    FILE
}
