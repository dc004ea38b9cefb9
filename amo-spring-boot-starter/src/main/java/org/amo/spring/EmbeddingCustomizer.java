package org.amo.spring;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Embeds the groups of an application. A part of the key by which tests share applications. */
record EmbeddingCustomizer(int members) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
        embed(context);
    }

    /** Before the application's beans are known, so that its own groups give way. */
    void embed(ConfigurableApplicationContext context) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        ((BeanDefinitionRegistry) beans)
                .registerBeanDefinition(
                        "amoEmbeddedGroups",
                        BeanDefinitionBuilder.genericBeanDefinition(
                                        EmbeddedGroups.class,
                                        () -> new EmbeddedGroups(members, beans.getBean(ServiceBeans.class)))
                                .getBeanDefinition());
    }
}
