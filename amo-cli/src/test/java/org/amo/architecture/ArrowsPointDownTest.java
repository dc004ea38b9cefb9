package org.amo.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;

/** Who may name whom. Maven refuses cycles between modules; these rules also keep the shells apart. */
@AnalyzeClasses(packages = "org.amo", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArrowsPointDownTest {

    /** The picture of the modules, read from the bottom. A layer is optional where its module may hold no class yet. */
    @ArchTest
    static final ArchRule MODULES = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("core")
            .definedBy("org.amo.core..")
            .optionalLayer("replication")
            .definedBy("org.amo.replication..")
            .optionalLayer("transport")
            .definedBy("org.amo.transport..")
            .optionalLayer("rpclog")
            .definedBy("org.amo.rpclog..")
            .optionalLayer("interceptors")
            .definedBy("org.amo.interceptors..")
            .optionalLayer("testkit")
            .definedBy("org.amo.testkit..")
            .optionalLayer("examples")
            .definedBy("org.amo.examples..")
            .optionalLayer("cli")
            .definedBy("org.amo.cli..")
            .optionalLayer("benchmarks")
            .definedBy("org.amo.benchmarks..")
            .whereLayer("cli")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("benchmarks")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("examples")
            .mayOnlyBeAccessedByLayers("cli", "benchmarks")
            .whereLayer("testkit")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("testkit")
            .mayOnlyAccessLayers("core", "replication")
            .whereLayer("rpclog")
            .mayOnlyBeAccessedByLayers("cli", "benchmarks", "examples")
            .whereLayer("rpclog")
            .mayOnlyAccessLayers("core")
            .whereLayer("interceptors")
            .mayOnlyBeAccessedByLayers("cli", "benchmarks", "examples")
            .whereLayer("replication")
            .mayOnlyBeAccessedByLayers("testkit", "cli", "benchmarks", "examples")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("replication", "cli", "benchmarks", "examples")
            .because("arrows point down, and CORBA and JGroups do not know each other");

    @ArchTest
    static final ArchRule CORE_NEEDS_ONLY_THE_JDK = classes()
            .that()
            .resideInAPackage("org.amo.core..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("org.amo.core..", "java..", "javax.crypto..", "org.agrona..", "org.jspecify..")
            .because("a protocol must run wherever a JDK does");

    @ArchTest
    static final ArchRule PROTOCOLS_DO_NOT_KNOW_THE_SIMULATOR = noClasses()
            .that()
            .resideInAPackage("org.amo.core..")
            .and()
            .resideOutsideOfPackage("org.amo.core.sim..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.amo.core.sim..")
            .because("what is simulated must be what is shipped");

    @ArchTest
    static final ArchRule CORE_PACKAGES_HAVE_NO_CYCLES =
            slices().matching("org.amo.core.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ONE_PLACE_KNOWS_JACORB = noClasses()
            .that()
            .resideOutsideOfPackage("org.amo.interceptors..jacorb..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jacorb..")
            .because("its internals change with every release; everything else uses org.omg");

    @ArchTest
    static final ArchRule ONLY_REPLICATION_KNOWS_JGROUPS = noClasses()
            .that()
            .resideOutsideOfPackages("org.amo.replication..", "org.amo.benchmarks..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jgroups..")
            .because("everything else uses OrderedLog");

    /** The bank must stay a program that could have been written before amo. */
    @ArchTest
    static final ArchRule THE_BANK_KNOWS_NOTHING_OF_AMO = noClasses()
            .that()
            .resideInAPackage("org.amo.examples.bank..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.amo.core..", "org.amo.replication..", "org.amo.transport..", "org.amo.interceptors..")
            .allowEmptyShould(true)
            .because("amo replicates it without a change");

    /** Row R13: a clock that is an hour off expires nothing early where none is read. */
    @ArchTest
    static final ArchRule LEASES_READ_NO_WALL_CLOCK = noClasses()
            .that()
            .resideInAnyPackage(
                    "org.amo.core.lease..",
                    "org.amo.core.rpclog..",
                    "org.amo.rpclog..",
                    "org.amo.replication.lease..",
                    "org.amo.examples.kv..")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .because("cluster time comes from the ordered log, and what passes in a process from its monotonic clock");
}
