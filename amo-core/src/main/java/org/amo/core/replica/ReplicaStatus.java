package org.amo.core.replica;

import java.util.Map;

/**
 * The state of one replica at one moment, as it knows it.
 *
 * @param id this member
 * @param leader the leader; empty while none is known
 * @param position of the last delivered entry
 * @param executedPosition every request up to it has been executed here
 * @param executed requests executed here since the process started, replayed ones too
 * @param orderedTimeMillis the group's time; 0 before its first entry
 * @param upperMillis timestamps up to here are refused
 * @param clients records of clients
 * @param entries live entries: requests with a reply that is kept or still to come
 * @param entriesPeak the largest number of them since the start
 * @param bytes of kept replies
 * @param bytesPeak the largest number of them since the start
 * @param timeoutOnlyEntries the value of {@code entries} if no acknowledgement had freed any
 * @param timeoutOnlyEntriesPeak the largest number of them since the start
 * @param purgedBySack entries that an acknowledgement freed
 * @param purgedByTimeout entries that their deadline freed
 * @param resolvedRanges ranges of resolved numbers, beyond one floor a client: the cost of refusing late attempts
 * @param replayed attempts answered from a kept reply
 * @param refusals ordered refusals by reason
 * @param overloads refusals OVERLOADED by the budget that was exhausted, in the order and before it
 * @param plainCalls calls that came without an id
 * @param datagrams that came to this member, by their outcomes; empty if it takes none
 * @param orderedEntries entries delivered, by kind: total, with requests, with acknowledgements only, ticks
 * @param orderedBytes bytes of all delivered entries
 * @param sackBytes how many of them were finished numbers
 * @param sacksWaiting acknowledgements that wait here for the next entry
 * @param sackLagMillis from the arrival of an acknowledgement at this member until the order applied it here: of the
 *     latest entry, its oldest
 * @param sackLagMillisPeak the largest of them since the start
 * @param queued attempts that wait here to be ordered
 * @param replyMicrosP99 from the arrival of an attempt at this member to its answer, of the last one to two seconds: 99 of 100
 *     took no longer. 0 if none was answered here
 * @param digest hash chain over positions, decisions and replies, comparable at equal executedPosition; over an order that may be
 *     violated a sum over the executed requests and their replies
 * @param stateDigest position and digest of the servant's state there, with '@' between; comparable at equal positions. Empty
 *     if the servant offers none, or before the first
 * @param trouble the fault of the disk that keeps this member from serving, and the remedy, in one line; empty if there is
 *     none
 * @param repaired damaged places on disk that this process has found and that are whole again
 * @param diverged members that this process has found to have diverged, itself too
 * @param divergedRepaired those of them that were equal to the majority again
 * @param incomparableVotes votes of members that had executed other requests than this one, over an order that may be
 *     violated
 * @param divergedAt position of the first request with another result here than at other members; of the mark that showed a
 *     difference while that request is not known. 0 if this member is equal to a majority, as far as known
 * @param divergence where this member differed first from the majority, or that no majority agrees, and the remedy, in one
 *     line; of an earlier process of this member, too. Over an order that may be violated also that members have executed other
 *     requests. Empty if there is nothing to say
 * @param style active or passive
 * @param primary the member that executes requests in style passive; empty while none is known, and in style active
 * @param featureLevel of the group, behind the last delivered entry
 * @param secrets of the group at this member ({@link org.amo.base.SecretRing#counts}); empty without a secret
 * @param snapshot on the disk of this member, empty if there is none: its {@code position}, its {@code bytes}, the {@code takeMicros} in
 *     which the servant gave its state and the {@code writeMicros} until it was on disk, both 0 if another process or member took it, and
 *     how many this process has {@code taken}
 */
public record ReplicaStatus(
        String id,
        String leader,
        long position,
        long executedPosition,
        long executed,
        long orderedTimeMillis,
        long upperMillis,
        long clients,
        long entries,
        long entriesPeak,
        long bytes,
        long bytesPeak,
        long timeoutOnlyEntries,
        long timeoutOnlyEntriesPeak,
        long purgedBySack,
        long purgedByTimeout,
        long resolvedRanges,
        long replayed,
        Map<String, Long> refusals,
        Map<String, Long> overloads,
        long plainCalls,
        Map<String, Long> datagrams,
        Map<String, Long> orderedEntries,
        long orderedBytes,
        long sackBytes,
        long sacksWaiting,
        long sackLagMillis,
        long sackLagMillisPeak,
        long queued,
        long replyMicrosP99,
        String digest,
        String stateDigest,
        String trouble,
        long repaired,
        long diverged,
        long divergedRepaired,
        long incomparableVotes,
        long divergedAt,
        String divergence,
        String style,
        String primary,
        long featureLevel,
        Map<String, Long> secrets,
        Map<String, Long> snapshot) {}
