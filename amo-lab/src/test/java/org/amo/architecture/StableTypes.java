package org.amo.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.amo.base.Experimental;
import org.amo.base.Stable;

/** The marks that the comparison with a release goes by. {@link ArrowsPointDownTest} checks them, over the classes that it imports. */
final class StableTypes {
    private static final DescribedPredicate<JavaClass> PART_OF_A_STABLE_TYPE = DescribedPredicate.describe(
            "are public parts of a stable type",
            each -> each.getModifiers().contains(JavaModifier.PUBLIC)
                    && each.getEnclosingClass()
                            .filter(around -> around.isAnnotatedWith(Stable.class))
                            .isPresent());

    @ArchTest
    static final ArchRule WHOLE = classes()
            .that(PART_OF_A_STABLE_TYPE)
            .should()
            .beAnnotatedWith(Stable.class)
            .because("the comparison looks at marked types only, also where they are nested");

    @ArchTest
    static final ArchRule PUBLIC =
            classes().that().areAnnotatedWith(Stable.class).should().bePublic();

    @ArchTest
    static final ArchRule ONE_MARK =
            noClasses().that().areAnnotatedWith(Stable.class).should().beAnnotatedWith(Experimental.class);

    private StableTypes() {}
}
