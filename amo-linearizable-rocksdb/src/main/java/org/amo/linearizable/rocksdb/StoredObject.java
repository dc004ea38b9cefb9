package org.amo.linearizable.rocksdb;

/**
 * An object.
 *
 * @param version greater than that of any object that its key named before, deleted ones too
 * @param value not copied
 */
public record StoredObject(long version, byte[] value) {}
