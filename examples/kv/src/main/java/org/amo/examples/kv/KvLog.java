package org.amo.examples.kv;

import java.util.List;

/**
 * Where a server's writes are, beside its own disk.
 *
 * @param server its id
 * @param epoch of its last complete log; it rises when the server begins, and when it replaces a backup. 0 if there was none yet
 * @param backups that have each of its answered writes
 */
public record KvLog(String server, long epoch, List<String> backups) {}
