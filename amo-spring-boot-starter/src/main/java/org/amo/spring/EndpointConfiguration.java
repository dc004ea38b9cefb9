package org.amo.spring;

import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code amo} of Spring Boot's actuator: the statuses of the members in this application. */
@AutoConfiguration(after = GroupsConfiguration.class)
@ConditionalOnClass(Endpoint.class)
class EndpointConfiguration {

    @Bean
    StatusEndpoint amoEndpoint(Groups groups) {
        return new StatusEndpoint(groups);
    }

    /** By group; the fields are those of {@link org.amo.core.replica.ReplicaStatus}. */
    @Endpoint(id = "amo")
    static final class StatusEndpoint {
        private final Groups groups;

        StatusEndpoint(Groups groups) {
            this.groups = groups;
        }

        @ReadOperation
        Map<String, Object> statuses() {
            return groups.statuses();
        }
    }
}
