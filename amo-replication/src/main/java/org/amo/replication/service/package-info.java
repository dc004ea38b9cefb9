/**
 * The front door for plain Java: {@link org.amo.replication.service.AmoReplica} makes a member of a replicated service from
 * an object, {@link org.amo.replication.service.AmoClient} calls it, at most once (docs/tutorials/java-service.md).
 */
@NullMarked
package org.amo.replication.service;

import org.jspecify.annotations.NullMarked;
