package org.amo.spring;

import java.util.function.BiConsumer;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.RecoveredCall;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The groups of every application. Beans of the types {@code BiConsumer<String, AmoReplica.Builder>} and {@code BiConsumer<String,
 * AmoClient.Builder>} are given each builder with the name of its group, after the properties; a {@code BiConsumer<String,
 * RecoveredCall>} is told the outcomes of the calls that the former process left open ({@code amo.identity}): at the start, or when a lazy
 * bean is the first to ask for the client.
 */
@AutoConfiguration
class GroupsConfiguration {

    @Bean
    static ServiceBeans amoServices(Environment environment) {
        return new ServiceBeans(environment);
    }

    @Bean
    @ConditionalOnMissingBean(Groups.class)
    RemoteGroups amoGroups(
            ServiceBeans services,
            ObjectProvider<BiConsumer<String, AmoReplica.Builder>> replicaCustomizers,
            ObjectProvider<BiConsumer<String, AmoClient.Builder>> clientCustomizers,
            ObjectProvider<BiConsumer<String, RecoveredCall>> recoveredCalls) {
        return new RemoteGroups(services, replicaCustomizers, clientCustomizers, recoveredCalls);
    }
}
