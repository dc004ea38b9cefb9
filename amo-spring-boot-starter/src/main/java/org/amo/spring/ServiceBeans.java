package org.amo.spring;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.amo.replication.service.AmoState;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Finds the services of an application, and takes care that no other bean is given one: a service runs the requests of its group, and
 * nothing else. Then it lets {@link AmoProxy} be resolved. Runs before any bean is made; one thread.
 */
final class ServiceBeans implements BeanFactoryPostProcessor {
    private static final Set<String> SCOPES =
            Set.of("", BeanDefinition.SCOPE_SINGLETON, BeanDefinition.SCOPE_PROTOTYPE);

    private final GroupSettings settings;
    private final Map<String, AmoService> marks = new LinkedHashMap<>();
    private @Nullable ConfigurableListableBeanFactory beans;

    ServiceBeans(Environment environment) {
        settings = new GroupSettings(environment);
    }

    GroupSettings settings() {
        return settings;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        beans = factory;
        for (String name : factory.getBeanDefinitionNames()) {
            AmoService mark = factory.findAnnotationOnBean(name, AmoService.class, false);
            if (mark != null) {
                BeanDefinition definition = factory.getBeanDefinition(name);
                String scope = definition.getScope();
                if (scope != null && !SCOPES.contains(scope)) {
                    throw new GroupStartException(
                            "bean " + name + " is an @AmoService of scope " + scope + "; leave the scope out");
                }
                // A new object for each member and start. A bean that had one would make it a part of the application.
                definition.setScope(BeanDefinition.SCOPE_PROTOTYPE);
                definition.setAutowireCandidate(false);
                marks.put(name, mark);
            }
        }
        if (factory instanceof DefaultListableBeanFactory injecting) {
            injecting.setAutowireCandidateResolver(new ProxyResolver(
                    injecting.getAutowireCandidateResolver(),
                    (group, type) -> factory.getBean(Groups.class).way(group, type)));
        }
    }

    /** By group. */
    Map<String, ServiceBean<?>> all() {
        Map<String, ServiceBean<?>> all = new LinkedHashMap<>();
        marks.forEach((name, mark) -> {
            ServiceBean<?> service = service(factory(), name, mark);
            ServiceBean<?> other = all.put(service.group(), service);
            if (other != null) {
                throw new GroupStartException(
                        "beans " + other.bean() + " and " + name + " are both the @AmoService of group "
                                + service.group() + "; give one of them a group of its own");
            }
        });
        return all;
    }

    private ConfigurableListableBeanFactory factory() {
        ConfigurableListableBeanFactory known = beans;
        if (known == null) {
            throw new IllegalStateException("asked before the beans are known");
        }
        return known;
    }

    private ServiceBean<?> service(ConfigurableListableBeanFactory factory, String name, AmoService mark) {
        Class<?> made = factory.getType(name);
        if (made == null) {
            throw new GroupStartException("the class of the @AmoService bean " + name
                    + " is not known; name it as the type" + " of its @Bean method");
        }
        Class<?> type = mark.type() == void.class ? onlyInterface(name, made) : mark.type();
        if (!type.isAssignableFrom(made)) {
            throw new GroupStartException("@AmoService: bean " + name + " does not implement " + type.getName());
        }
        return of(factory, name, settings.group(mark.group(), "the @AmoService bean " + name), type);
    }

    private static <T> ServiceBean<T> of(
            ConfigurableListableBeanFactory factory, String name, String group, Class<T> type) {
        return new ServiceBean<>(name, group, type, () -> {
            T object = factory.getBean(name, type);
            if (AopUtils.isAopProxy(object)) {
                throw new GroupStartException(
                        "the @AmoService bean " + name + " is wrapped by an aspect, which would run at"
                                + " each member and keep the state from being seen; take the aspect's annotation away");
            }
            return object;
        });
    }

    private static Class<?> onlyInterface(String name, Class<?> made) {
        List<Class<?>> candidates = new ArrayList<>(ClassUtils.getAllInterfacesForClassAsSet(made));
        candidates.removeIf(each -> each == AmoState.class
                || each.getName().startsWith("java.")
                || each.getName().startsWith("org.springframework."));
        if (candidates.size() != 1) {
            throw new GroupStartException("@AmoService: the class of bean " + name + " implements "
                    + (candidates.isEmpty()
                            ? "no interface that clients could call; give it one"
                            : candidates.stream().map(Class::getName).collect(Collectors.joining(", "))
                                    + "; say which one clients call by type = …"));
        }
        return candidates.get(0);
    }
}
