package org.amo.testkit.junit;

import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.Optional;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.EmbeddedGroup;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts and ends the groups of {@link AmoCluster}. */
final class AmoClusterExtension implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace SPACE =
            ExtensionContext.Namespace.create(AmoClusterExtension.class);
    private static final Duration AGREEMENT = Duration.ofSeconds(10);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        Class<?> type = parameter.getParameter().getType();
        return type == EmbeddedGroup.class
                || type == AmoClient.class
                || type == cluster(test).type();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Class<?> type = parameter.getParameter().getType();
        EmbeddedGroup group =
                test.getStore(SPACE).getOrComputeIfAbsent("group", key -> start(cluster(test)), EmbeddedGroup.class);
        if (type == EmbeddedGroup.class) {
            return group;
        }
        return type == AmoClient.class ? group.client() : group.client().proxy(type);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        Optional<EmbeddedGroup> used = Optional.ofNullable(test.getStore(SPACE).remove("group", EmbeddedGroup.class));
        if (used.isPresent()) {
            try (EmbeddedGroup group = used.get()) {
                if (test.getExecutionException().isEmpty() && !group.awaitAgreement(AGREEMENT)) {
                    throw new AssertionError("the members do not agree: "
                            + cluster(test).service().getName()
                            + " is not deterministic; ask ReplicaContext for time and random numbers, and do not return"
                            + " what depends on the order of a hash table");
                }
            }
        }
    }

    private static <T> EmbeddedGroup start(AmoCluster cluster, Class<T> type, Constructor<?> constructor) {
        return EmbeddedGroup.of(cluster.members(), type, () -> {
            try {
                return type.cast(constructor.newInstance());
            } catch (ReflectiveOperationException e) {
                throw new ExtensionConfigurationException(
                        "@AmoCluster: " + cluster.service().getName() + " cannot be made", e);
            }
        });
    }

    private static EmbeddedGroup start(AmoCluster cluster) {
        if (!cluster.type().isAssignableFrom(cluster.service())) {
            throw new ExtensionConfigurationException(
                    "@AmoCluster: " + cluster.service().getName() + " does not implement "
                            + cluster.type().getName());
        }
        try {
            Constructor<?> constructor = cluster.service().getDeclaredConstructor();
            constructor.setAccessible(true);
            return start(cluster, cluster.type(), constructor);
        } catch (NoSuchMethodException e) {
            throw new ExtensionConfigurationException(
                    "@AmoCluster: " + cluster.service().getName() + " has no constructor without parameters", e);
        }
    }

    private static AmoCluster cluster(ExtensionContext test) {
        return AnnotationSupport.findAnnotation(test.getElement(), AmoCluster.class)
                .or(() -> AnnotationSupport.findAnnotation(test.getTestClass(), AmoCluster.class))
                .orElseThrow(() -> new ExtensionConfigurationException("no @AmoCluster on the test or its class"));
    }
}
