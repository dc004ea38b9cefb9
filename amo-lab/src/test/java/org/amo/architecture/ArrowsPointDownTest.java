package org.amo.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.util.stream.Stream;

/** Who may name whom. Maven refuses cycles between modules; these rules also keep the shells apart. */
@AnalyzeClasses(packages = "org.amo", importOptions = ShippedClasses.class)
final class ArrowsPointDownTest {
    /** The protocols as state machines; the packages beside them are their shells. */
    private static final String[] CORES = {
        "org.amo.base..",
        "org.amo.core..",
        "org.amo.scmp",
        "org.amo.exon",
        "org.amo.dpg",
        "org.amo.linearizable.lease",
        "org.amo.linearizable.rpclog"
    };

    /** The picture of the modules, read from the bottom. A layer is optional where its module may hold no class yet. */
    @ArchTest
    static final ArchRule MODULES = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("base")
            .definedBy("org.amo.base..")
            .layer("core")
            .definedBy("org.amo.core..")
            .optionalLayer("net")
            .definedBy("org.amo.net..")
            .optionalLayer("observe")
            .definedBy("org.amo.observe..")
            .optionalLayer("scmp")
            .definedBy("org.amo.scmp..")
            .optionalLayer("exon")
            .definedBy("org.amo.exon..")
            .optionalLayer("dpg")
            .definedBy("org.amo.dpg..")
            .optionalLayer("linearizable")
            .definedBy("org.amo.linearizable.lease..", "org.amo.linearizable.rpclog..")
            .optionalLayer("rocksdb")
            .definedBy("org.amo.linearizable.rocksdb..")
            .optionalLayer("once")
            .definedBy("org.amo.once..")
            .optionalLayer("jdbc")
            .definedBy("org.amo.jdbc..")
            .optionalLayer("redis")
            .definedBy("org.amo.redis..")
            .optionalLayer("grpc")
            .definedBy("org.amo.grpc..")
            .optionalLayer("spring")
            .definedBy("org.amo.spring..")
            .optionalLayer("sim")
            .definedBy("org.amo.sim..")
            .optionalLayer("replication")
            .definedBy("org.amo.replication..")
            .optionalLayer("kv")
            .definedBy("org.amo.kv..")
            .optionalLayer("interceptors")
            .definedBy("org.amo.interceptors..")
            .optionalLayer("wrap")
            .definedBy("org.amo.wrap..")
            .optionalLayer("determinism")
            .definedBy("org.amo.determinism..")
            .optionalLayer("testkit")
            .definedBy("org.amo.testkit..")
            .optionalLayer("examples")
            .definedBy("org.amo.examples..")
            .optionalLayer("cli")
            .definedBy("org.amo.cli..")
            .optionalLayer("lab")
            .definedBy("org.amo.lab..")
            .optionalLayer("benchmarks")
            .definedBy("org.amo.benchmarks..")
            .whereLayer("base")
            .mayNotAccessAnyLayer()
            .whereLayer("net")
            .mayOnlyAccessLayers("base")
            .whereLayer("observe")
            .mayOnlyAccessLayers("base")
            .whereLayer("core")
            .mayOnlyAccessLayers("base")
            .whereLayer("scmp")
            .mayOnlyAccessLayers("base", "net")
            .whereLayer("exon")
            .mayOnlyAccessLayers("base", "net")
            .whereLayer("dpg")
            .mayOnlyAccessLayers("base", "net")
            .whereLayer("linearizable")
            .mayOnlyAccessLayers("base")
            .whereLayer("rocksdb")
            .mayOnlyAccessLayers("base", "linearizable", "once")
            .whereLayer("once")
            .mayOnlyAccessLayers("base")
            .whereLayer("jdbc")
            .mayOnlyAccessLayers("base", "once")
            .whereLayer("redis")
            .mayOnlyAccessLayers("base", "once")
            .whereLayer("grpc")
            .mayOnlyAccessLayers("base", "net", "core")
            .whereLayer("sim")
            .mayOnlyAccessLayers("base", "core", "scmp", "exon", "dpg", "linearizable")
            .whereLayer("sim")
            .mayOnlyBeAccessedByLayers("lab")
            .whereLayer("replication")
            .mayOnlyAccessLayers("base", "net", "observe", "core", "dpg", "exon", "linearizable")
            .whereLayer("kv")
            .mayOnlyAccessLayers("base", "net", "core", "linearizable", "rocksdb", "replication")
            .whereLayer("kv")
            .mayOnlyBeAccessedByLayers("examples", "lab")
            .whereLayer("spring")
            .mayOnlyAccessLayers("base", "observe", "core", "replication")
            .whereLayer("spring")
            .mayOnlyBeAccessedByLayers("examples")
            .whereLayer("interceptors")
            .mayOnlyAccessLayers("base", "observe", "core")
            .whereLayer("wrap")
            .mayNotAccessAnyLayer()
            .whereLayer("determinism")
            .mayOnlyAccessLayers("base")
            .whereLayer("testkit")
            .mayOnlyAccessLayers("base", "core", "once", "replication")
            .whereLayer("testkit")
            .mayOnlyBeAccessedByLayers("lab")
            .whereLayer("examples")
            .mayOnlyBeAccessedByLayers("lab", "benchmarks")
            .whereLayer("benchmarks")
            .mayOnlyBeAccessedByLayers("lab")
            .whereLayer("cli")
            .mayOnlyAccessLayers(
                    "base",
                    "net",
                    "observe",
                    "scmp",
                    "exon",
                    "core",
                    "replication",
                    "interceptors",
                    "wrap",
                    "determinism")
            .whereLayer("cli")
            .mayOnlyBeAccessedByLayers("lab")
            .whereLayer("lab")
            .mayNotBeAccessedByAnyLayer()
            .because("each protocol can be used alone, and CORBA and JGroups do not know each other");

    @ArchTest
    static final ArchRule CORES_NEED_ONLY_THE_JDK = classes()
            .that()
            .resideInAnyPackage(CORES)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(Stream.concat(Stream.of(CORES), Stream.of("java..", "javax.crypto..", "org.jspecify.."))
                    .toArray(String[]::new))
            .because("a protocol must run wherever a JDK does");

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
            .resideOutsideOfPackages("org.amo.replication..", "org.amo.benchmarks..", "org.amo.lab.attack..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.jgroups..")
            .because("everything else uses OrderedLog, and attacks speak JGroups' format to the ports");

    /** The bank must stay a program that could have been written before amo. */
    @ArchTest
    static final ArchRule THE_BANK_KNOWS_NOTHING_OF_AMO = noClasses()
            .that()
            .resideInAPackage("org.amo.examples.bank..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "org.amo.core..",
                    "org.amo.replication..",
                    "org.amo.net..",
                    "org.amo.observe..",
                    "org.amo.interceptors..")
            .allowEmptyShould(true)
            .because("amo replicates it without a change");

    /** Row R13: a clock that is an hour off expires nothing early where none is read. */
    @ArchTest
    static final ArchRule LEASES_READ_NO_WALL_CLOCK = noClasses()
            .that()
            .resideInAnyPackage(
                    "org.amo.linearizable.lease..",
                    "org.amo.linearizable.rpclog..",
                    "org.amo.linearizable.rocksdb..",
                    "org.amo.replication.lease..",
                    "org.amo.once..",
                    "org.amo.jdbc..",
                    "org.amo.redis..",
                    "org.amo.kv..")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .because("time comes from the ordered log or the database, and what passes in a process from its monotonic"
                    + " clock");

    /** Here, since the import of all classes takes longer than all rules. */
    @ArchTest
    static final ArchTests MARKS = ArchTests.in(StableTypes.class);
}
