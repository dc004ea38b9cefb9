package org.amo.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.base.observe.Readiness;

/**
 * The health of the members in an application, for either generation of Spring Boot's indicators.
 *
 * @param hasMembers whether this application is a member of any group
 * @param serves whether all of them serve
 * @param details by group: {@code serves}, or the reason why not
 */
record GroupHealth(boolean hasMembers, boolean serves, Map<String, String> details) {

    static GroupHealth of(Groups groups) {
        Map<String, Readiness> readiness = groups.readiness();
        Map<String, String> details = new LinkedHashMap<>();
        readiness.forEach((group, each) -> details.put(group, each.obstacle().orElse("serves")));
        return new GroupHealth(!readiness.isEmpty(), readiness.values().stream().allMatch(Readiness::isReady), details);
    }
}
