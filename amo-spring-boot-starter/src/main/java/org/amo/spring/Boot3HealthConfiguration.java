package org.amo.spring;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Health of the members, for Spring Boot 3: DOWN while one does not serve, UNKNOWN in an application without members. */
@AutoConfiguration(after = GroupsConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnProperty(name = "management.health.amo.enabled", matchIfMissing = true)
class Boot3HealthConfiguration {

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
