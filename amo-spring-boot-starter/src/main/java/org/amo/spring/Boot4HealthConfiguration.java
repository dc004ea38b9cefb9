package org.amo.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health of the members, for Spring Boot 4: DOWN while one does not serve, UNKNOWN in an application without members. */
@AutoConfiguration(after = GroupsConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnProperty(name = "management.health.amo.enabled", matchIfMissing = true)
class Boot4HealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "amoHealthIndicator")
    HealthIndicator amoHealthIndicator(Groups groups) {
        return () -> {
            GroupHealth now = GroupHealth.of(groups);
            Health.Builder health = !now.hasMembers() ? Health.unknown() : now.serves() ? Health.up() : Health.down();
            return health.withDetails(now.details()).build();
        };
    }
}
