package org.amo.spring;

import org.amo.replication.service.ReadOnly;

/** The service of these tests. */
public interface Counters {
    long add(String name, long amount);

    @ReadOnly
    long value(String name);
}
