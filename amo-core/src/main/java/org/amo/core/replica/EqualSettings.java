package org.amo.core.replica;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.amo.core.replica.PeerMessage.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Compares the settings of this member with those of the others (docs/decisions/0090-equal-settings.md). If a majority of the
 * members has another value, this member must end. Without a majority the leader's value counts, after a moment in which more
 * members may be heard. A setting that only one of two members knows is not compared: they are of different versions.
 *
 * <p>A member tells its settings to each member until it has heard that member's, so a process that starts is heard by all. One
 * thread owns it.
 */
final class EqualSettings {
    private static final long ASK_EVERY_MILLIS = 1_000;

    /** So long a majority may still decide between two values. */
    static final long PATIENCE_MILLIS = 2_000;

    /** A member that is not heard for so long counts no more: it may start again with other settings. */
    private static final long SILENT_MILLIS = 5_000;

    private static final int MOST_CHARACTERS = 200;
    private static final int SHOWN_CHARACTERS = 150;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    private final String self;
    private final ReplicaEffects effects;
    private final SortedMap<String, String> own = new TreeMap<>();
    private final Map<String, Map<String, String>> heard = new HashMap<>();
    private final Map<String, Long> heardAtMillis = new HashMap<>();
    private final Map<String, Long> differsFromLeaderSince = new HashMap<>();

    private List<String> members;
    private String leader = "";
    private long nextAskMillis = Long.MIN_VALUE;
    private boolean told;

    EqualSettings(ReplicaOptions options, ReplicaEffects effects) {
        this.self = options.id();
        this.effects = effects;
        this.members = options.members();
        options.settings().forEach((name, value) -> own.put(name, bounded(value)));
        if (!own.isEmpty()) {
            own.put(
                    ReplicaOptions.FEATURE_LEVEL,
                    Integer.toString(options.levels().most()));
        }
    }

    /** A hash stands for the end of a long value. UTF-8 cannot carry half of a surrogate pair to the other members. */
    private static String bounded(String value) {
        if (value.length() <= MOST_CHARACTERS) {
            return value;
        }
        int shown =
                Character.isHighSurrogate(value.charAt(SHOWN_CHARACTERS - 1)) ? SHOWN_CHARACTERS - 1 : SHOWN_CHARACTERS;
        return value.substring(0, shown) + " ... " + Integer.toHexString(value.hashCode());
    }

    void onMembers(List<String> now) {
        members = now;
    }

    void onLeader(String member) {
        leader = member;
    }

    /** Any message of a member has come. */
    void onHeard(String member, long nowMillis) {
        heardAtMillis.put(member, nowMillis);
    }

    void onSettings(String member, Settings settings, long nowMillis) {
        if (own.isEmpty() || !members.contains(member)) {
            return;
        }
        heard.put(member, settings.values());
        if (settings.asks()) {
            effects.send(member, new Settings(false, own).encode());
        }
        judge(nowMillis);
    }

    void onTick(long nowMillis) {
        if (own.isEmpty()) {
            return;
        }
        if (nowMillis >= nextAskMillis) {
            nextAskMillis = nowMillis + ASK_EVERY_MILLIS;
            for (String member : members) {
                if (!member.equals(self) && !heard.containsKey(member)) {
                    effects.send(member, new Settings(true, own).encode());
                }
            }
        }
        judge(nowMillis);
    }

    /** Whether a majority of the members, this one among them, has equal settings. */
    boolean isAgreed() {
        long equal = members.stream()
                .filter(member -> member.equals(self) || isEqual(heard.get(member)))
                .count();
        return own.isEmpty() || isMajority(equal);
    }

    /** By each member, this one among them: the feature level up to which it lets the group come. Empty if it was not heard lately. */
    List<OptionalInt> levelsTold(long nowMillis) {
        return members.stream()
                .map(member ->
                        member.equals(self) || isHeard(member, nowMillis) ? levelTold(member) : OptionalInt.empty())
                .toList();
    }

    private OptionalInt levelTold(String member) {
        return Optional.ofNullable(toldBy(member).get(ReplicaOptions.FEATURE_LEVEL)).stream()
                .filter(FeatureLevels.NUMBER.asMatchPredicate())
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    private boolean isHeard(String member, long nowMillis) {
        return nowMillis - heardAtMillis.getOrDefault(member, Long.MIN_VALUE / 2) <= SILENT_MILLIS;
    }

    /** The least number that a member has told under this name, this one among them; empty if none has. */
    OptionalLong least(String name) {
        return members.stream()
                .map(member -> toldBy(member).getOrDefault(name, ""))
                .filter(NUMBER.asMatchPredicate())
                .mapToLong(Long::parseLong)
                .min();
    }

    private Map<String, String> toldBy(String member) {
        return member.equals(self) ? own : heard.getOrDefault(member, Map.of());
    }

    private static boolean isCompared(String name) {
        return !name.equals(ReplicaOptions.MOST_UPDATE_BYTES) && !name.equals(ReplicaOptions.FEATURE_LEVEL);
    }

    private boolean isEqual(@Nullable Map<String, String> other) {
        return other != null
                && own.entrySet().stream()
                        .filter(each -> isCompared(each.getKey()))
                        .allMatch(each -> other.getOrDefault(each.getKey(), each.getValue())
                                .equals(each.getValue()));
    }

    private boolean isMajority(long count) {
        return count > members.size() / 2;
    }

    private void judge(long nowMillis) {
        for (Map.Entry<String, String> setting : own.entrySet()) {
            if (told) {
                return;
            }
            if (isCompared(setting.getKey())) {
                judge(setting.getKey(), setting.getValue(), nowMillis);
            }
        }
    }

    private void judge(String name, String value, long nowMillis) {
        SortedMap<String, List<String>> byValue = byValue(name, value, nowMillis);
        if (isMajority(byValue.getOrDefault(value, List.of()).size())) {
            differsFromLeaderSince.remove(name);
            return;
        }
        Optional<Map.Entry<String, List<String>>> majority = byValue.entrySet().stream()
                .filter(each -> isMajority(each.getValue().size()))
                .findFirst();
        if (majority.isPresent()) {
            tell(name, value, majority.get().getKey(), majority.get().getValue());
            return;
        }
        Optional<String> ofLeader = byValue.entrySet().stream()
                .filter(each -> each.getValue().contains(leader))
                .map(Map.Entry::getKey)
                .filter(other -> !other.equals(value))
                .findFirst();
        if (ofLeader.isEmpty()) {
            differsFromLeaderSince.remove(name);
        } else if (nowMillis - differsFromLeaderSince.computeIfAbsent(name, first -> nowMillis) >= PATIENCE_MILLIS) {
            tell(name, value, ofLeader.get(), List.of(leader));
        }
    }

    /** The members with each value, this one among them. */
    private SortedMap<String, List<String>> byValue(String name, String value, long nowMillis) {
        SortedMap<String, List<String>> byValue = new TreeMap<>();
        for (String member : members) {
            if (member.equals(self)) {
                byValue.computeIfAbsent(value, first -> new ArrayList<>()).add(member);
            } else if (isHeard(member, nowMillis)) {
                Optional.ofNullable(heard.get(member))
                        .map(settings -> settings.get(name))
                        .ifPresent(other -> byValue.computeIfAbsent(other, first -> new ArrayList<>())
                                .add(member));
            }
        }
        return byValue;
    }

    private void tell(String name, String here, String there, List<String> others) {
        told = true;
        effects.settingDiffers(name, here, there, others);
    }
}
