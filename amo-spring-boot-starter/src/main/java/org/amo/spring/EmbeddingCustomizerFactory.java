package org.amo.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Embeds the groups of a test's application if the test has {@link AmoTest}. */
final class EmbeddingCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> test, List<ContextConfigurationAttributes> attributes) {
        AmoTest marked = TestContextAnnotationUtils.findMergedAnnotation(test, AmoTest.class);
        return marked == null ? null : new EmbeddingCustomizer(marked.members());
    }
}
