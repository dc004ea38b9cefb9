package org.amo.spring;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.beans.factory.support.AutowireCandidateResolver;

/**
 * Gives the way to a group to each {@link AmoProxy}, as a known value, as Spring does for {@code @Value}. The resolver that was there
 * before has all else. So it holds for fields, constructors, methods and tests alike. Any thread.
 */
final class ProxyResolver implements AutowireCandidateResolver {
    private final AutowireCandidateResolver others;
    private final BiFunction<String, Class<?>, Object> ways;

    /** @param ways the way to a group, by its name and the type that is asked for */
    ProxyResolver(AutowireCandidateResolver others, BiFunction<String, Class<?>, Object> ways) {
        this.others = others;
        this.ways = ways;
    }

    @Override
    public @Nullable Object getSuggestedValue(DependencyDescriptor dependency) {
        AmoProxy wanted = dependency.getAnnotation(AmoProxy.class);
        return wanted == null
                ? others.getSuggestedValue(dependency)
                : ways.apply(wanted.group(), dependency.getDependencyType());
    }

    @Override
    public boolean isAutowireCandidate(BeanDefinitionHolder bean, DependencyDescriptor dependency) {
        return others.isAutowireCandidate(bean, dependency);
    }

    @Override
    public boolean isRequired(DependencyDescriptor dependency) {
        return others.isRequired(dependency);
    }

    @Override
    public boolean hasQualifier(DependencyDescriptor dependency) {
        return others.hasQualifier(dependency);
    }

    @Override
    public @Nullable String getSuggestedName(DependencyDescriptor dependency) {
        return others.getSuggestedName(dependency);
    }

    @Override
    public @Nullable Object getLazyResolutionProxyIfNecessary(
            DependencyDescriptor dependency, @Nullable String beanName) {
        return others.getLazyResolutionProxyIfNecessary(dependency, beanName);
    }

    @Override
    public @Nullable Class<?> getLazyResolutionProxyClass(DependencyDescriptor dependency, @Nullable String beanName) {
        return others.getLazyResolutionProxyClass(dependency, beanName);
    }

    @Override
    public AutowireCandidateResolver cloneIfNecessary() {
        return new ProxyResolver(others.cloneIfNecessary(), ways);
    }
}
