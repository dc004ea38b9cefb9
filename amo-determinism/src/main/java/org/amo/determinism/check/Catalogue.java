package org.amo.determinism.check;

import static org.amo.determinism.check.SourceKind.CHARSET;
import static org.amo.determinism.check.SourceKind.CLOCK;
import static org.amo.determinism.check.SourceKind.ENVIRONMENT;
import static org.amo.determinism.check.SourceKind.EXIT;
import static org.amo.determinism.check.SourceKind.FILE;
import static org.amo.determinism.check.SourceKind.FINALIZER;
import static org.amo.determinism.check.SourceKind.HOST;
import static org.amo.determinism.check.SourceKind.IDENTITY_HASH;
import static org.amo.determinism.check.SourceKind.JDBC;
import static org.amo.determinism.check.SourceKind.LOCALE;
import static org.amo.determinism.check.SourceKind.MAIL;
import static org.amo.determinism.check.SourceKind.NATIVE;
import static org.amo.determinism.check.SourceKind.NESTED_CALL;
import static org.amo.determinism.check.SourceKind.PARALLEL_STREAM;
import static org.amo.determinism.check.SourceKind.PROCESS;
import static org.amo.determinism.check.SourceKind.RANDOM;
import static org.amo.determinism.check.SourceKind.REFERENCE;
import static org.amo.determinism.check.SourceKind.REFLECTION;
import static org.amo.determinism.check.SourceKind.SOCKET;
import static org.amo.determinism.check.SourceKind.STATIC_STATE;
import static org.amo.determinism.check.SourceKind.THREAD;
import static org.amo.determinism.check.SourceKind.TIMER;
import static org.amo.determinism.check.SourceKind.TIME_ZONE;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The methods of the JDK, of CORBA and of well-known libraries that are sources. A method is found under the type that
 * declares it, or under one of its supertypes.
 */
final class Catalogue {
    /**
     * A set of methods of one kind.
     *
     * @param deterministic whether the determinism agent substitutes them
     * @param lasting whether that holds also where they are called outside of an operation
     */
    record Source(SourceKind kind, boolean deterministic, boolean lasting, String name, String descriptor) {
        boolean matches(String method, String methodDescriptor) {
            boolean named =
                    name.endsWith("*") ? method.startsWith(name.substring(0, name.length() - 1)) : method.equals(name);
            return named && methodDescriptor.startsWith(descriptor);
        }
    }

    private static final boolean AGENT = true;
    private static final boolean NO_AGENT = false;

    /** Objects that draw their values when they are asked: under the agent it does not matter where they were made. */
    private static final Set<String> LASTING =
            Set.of("java/util/Random", "java/security/SecureRandom", "java/time/Clock", "java/time/InstantSource");

    private static final Catalogue ALL = new Catalogue();

    private final Map<String, List<Source>> sources = new HashMap<>();

    private Catalogue() {
        clocksAndChance();
        defaults();
        surroundings();
        threads();
        outside();
    }

    /** The source that a method of exactly this type is, if it is one. */
    static Optional<Source> find(String owner, String name, String descriptor) {
        return ALL.sources.getOrDefault(owner, List.of()).stream()
                .filter(source -> source.matches(name, descriptor))
                .findFirst();
    }

    /** All sources by the internal names of their types. */
    static Map<String, List<Source>> all() {
        return Collections.unmodifiableMap(ALL.sources);
    }

    private void clocksAndChance() {
        add(CLOCK, AGENT, "java/lang/System", "currentTimeMillis nanoTime");
        add(CLOCK, AGENT, "java/time/Clock", "system* tick*(Ljava/time/ZoneId;");
        add(CLOCK, AGENT, "java/time/InstantSource", "system");
        add(CLOCK, AGENT, "java/time/Instant", "now()");
        for (String type : List.of(
                "LocalDate",
                "LocalTime",
                "LocalDateTime",
                "ZonedDateTime",
                "OffsetDateTime",
                "OffsetTime",
                "Year",
                "YearMonth",
                "MonthDay")) {
            add(CLOCK, AGENT, "java/time/" + type, "now() now(Ljava/time/ZoneId;");
        }
        for (String type : List.of("HijrahDate", "JapaneseDate", "MinguoDate", "ThaiBuddhistDate")) {
            add(CLOCK, NO_AGENT, "java/time/chrono/" + type, "now() now(Ljava/time/ZoneId;");
        }
        add(CLOCK, NO_AGENT, "java/time/chrono/Chronology", "dateNow() dateNow(Ljava/time/ZoneId;");
        add(CLOCK, AGENT, "java/util/Date", "<init>()");
        add(CLOCK, AGENT, "java/util/Calendar", "getInstance");
        add(
                CLOCK,
                AGENT,
                "java/util/GregorianCalendar",
                "<init>() <init>(Ljava/util/TimeZone; <init>(Ljava/util/Locale;");

        add(RANDOM, AGENT, "java/lang/Math", "random");
        add(RANDOM, AGENT, "java/lang/StrictMath", "random");
        add(RANDOM, AGENT, "java/util/Random", "<init>()");
        add(RANDOM, AGENT, "java/util/SplittableRandom", "<init>()");
        add(RANDOM, AGENT, "java/util/concurrent/ThreadLocalRandom", "current");
        add(RANDOM, AGENT, "java/security/SecureRandom", "<init> getInstance* getSeed");
        add(RANDOM, AGENT, "java/util/random/RandomGenerator", "getDefault of");
        add(RANDOM, NO_AGENT, "java/util/random/RandomGeneratorFactory", "create()");
        for (String type : List.of("Streamable", "Jumpable", "Leapable", "ArbitrarilyJumpable", "Splittable")) {
            add(RANDOM, NO_AGENT, "java/util/random/RandomGenerator$" + type + "Generator", "of");
        }
        add(RANDOM, AGENT, "java/util/UUID", "randomUUID");
        add(RANDOM, AGENT, "java/util/Collections", "shuffle(Ljava/util/List;)");
        add(RANDOM, NO_AGENT, "java/security/KeyPairGenerator", "generateKeyPair genKeyPair");
        add(RANDOM, NO_AGENT, "javax/crypto/KeyGenerator", "generateKey");
        add(RANDOM, NO_AGENT, "java/rmi/server/UID", "<init>()");

        add(IDENTITY_HASH, AGENT, "java/lang/System", "identityHashCode");
        add(IDENTITY_HASH, NO_AGENT, "java/util/Objects", "toIdentityString");
    }

    /** Values that hosts set differently. */
    private void defaults() {
        add(LOCALE, NO_AGENT, "java/util/Locale", "getDefault");
        add(LOCALE, NO_AGENT, "java/lang/String", "toLowerCase() toUpperCase() format(Ljava/lang/String;[ formatted");
        add(LOCALE, NO_AGENT, "java/io/PrintStream", "printf(Ljava/lang/String;[ format(Ljava/lang/String;[");
        add(LOCALE, NO_AGENT, "java/io/PrintWriter", "printf(Ljava/lang/String;[ format(Ljava/lang/String;[");
        add(LOCALE, NO_AGENT, "java/util/Formatter", "<init>() <init>(Ljava/lang/Appendable;)");
        add(
                LOCALE,
                NO_AGENT,
                "java/text/NumberFormat",
                "getInstance() getNumberInstance() getIntegerInstance() getCurrencyInstance() getPercentInstance()"
                        + " getCompactNumberInstance()");
        add(LOCALE, NO_AGENT, "java/text/DecimalFormat", "<init>() <init>(Ljava/lang/String;)");
        add(LOCALE, NO_AGENT, "java/text/DecimalFormatSymbols", "<init>() getInstance()");
        add(LOCALE, NO_AGENT, "java/text/MessageFormat", "<init>(Ljava/lang/String;) format(Ljava/lang/String;[");
        add(
                LOCALE,
                NO_AGENT,
                "java/text/DateFormat",
                "getInstance() getDateInstance() getDateInstance(I) getTimeInstance() getTimeInstance(I)"
                        + " getDateTimeInstance() getDateTimeInstance(II)");
        add(LOCALE, NO_AGENT, "java/text/SimpleDateFormat", "<init>() <init>(Ljava/lang/String;)");
        add(LOCALE, NO_AGENT, "java/text/Collator", "getInstance()");
        add(
                LOCALE,
                NO_AGENT,
                "java/text/BreakIterator",
                "getWordInstance() getLineInstance() getCharacterInstance() getSentenceInstance()");
        add(LOCALE, NO_AGENT, "java/time/format/DateTimeFormatter", "ofPattern(Ljava/lang/String;) ofLocalized*");
        add(LOCALE, NO_AGENT, "java/time/format/DateTimeFormatterBuilder", "toFormatter()");
        add(LOCALE, NO_AGENT, "java/util/ResourceBundle", "getBundle(Ljava/lang/String;)");
        add(LOCALE, NO_AGENT, "java/util/Currency", "getSymbol() getDisplayName()");

        add(CHARSET, NO_AGENT, "java/nio/charset/Charset", "defaultCharset");
        add(CHARSET, NO_AGENT, "java/lang/String", "getBytes() <init>([B) <init>([BII)");
        add(CHARSET, NO_AGENT, "java/io/InputStreamReader", "<init>(Ljava/io/InputStream;)");
        add(CHARSET, NO_AGENT, "java/io/OutputStreamWriter", "<init>(Ljava/io/OutputStream;)");
        add(CHARSET, NO_AGENT, "java/io/PrintStream", "<init>(Ljava/io/OutputStream;)");
        add(CHARSET, NO_AGENT, "java/io/PrintWriter", "<init>(Ljava/io/OutputStream;)");
        add(CHARSET, NO_AGENT, "java/io/ByteArrayOutputStream", "toString()");
        add(CHARSET, NO_AGENT, "java/util/Scanner", "<init>(Ljava/io/InputStream;)");
        add(CHARSET, NO_AGENT, "java/net/URLEncoder", "encode(Ljava/lang/String;)");
        add(CHARSET, NO_AGENT, "java/net/URLDecoder", "decode(Ljava/lang/String;)");

        add(TIME_ZONE, NO_AGENT, "java/util/TimeZone", "getDefault");
        add(TIME_ZONE, NO_AGENT, "java/time/ZoneId", "systemDefault");
        add(
                TIME_ZONE,
                NO_AGENT,
                "java/util/Date",
                "<init>(I <init>(Ljava/lang/String;) toString toLocaleString getYear getMonth getDate getDay getHours"
                        + " getMinutes getSeconds setYear setMonth setDate setHours setMinutes setSeconds parse"
                        + " getTimezoneOffset");
        add(TIME_ZONE, NO_AGENT, "java/util/GregorianCalendar", "<init>(I");
        add(
                TIME_ZONE,
                NO_AGENT,
                "java/sql/Timestamp",
                "<init>(I toString valueOf toLocalDateTime getYear getMonth getDate getHours getMinutes getSeconds");
        add(TIME_ZONE, NO_AGENT, "java/sql/Date", "<init>(I toString valueOf toLocalDate");
        add(TIME_ZONE, NO_AGENT, "java/sql/Time", "<init>(I toString valueOf toLocalTime");
    }

    private void surroundings() {
        add(ENVIRONMENT, NO_AGENT, "java/lang/System", "getenv getProperty getProperties lineSeparator console");
        add(ENVIRONMENT, NO_AGENT, "java/lang/Integer", "getInteger");
        add(ENVIRONMENT, NO_AGENT, "java/lang/Long", "getLong");
        add(ENVIRONMENT, NO_AGENT, "java/lang/Boolean", "getBoolean");
        add(ENVIRONMENT, NO_AGENT, "java/lang/Runtime", "version");
        add(ENVIRONMENT, NO_AGENT, "java/util/prefs/Preferences", "*");
        add(ENVIRONMENT, NO_AGENT, "java/io/File", "getAbsolute*");
        add(ENVIRONMENT, NO_AGENT, "java/nio/file/Path", "toAbsolutePath");

        add(HOST, NO_AGENT, "java/lang/Runtime", "availableProcessors freeMemory totalMemory maxMemory");
        add(HOST, NO_AGENT, "java/lang/ProcessHandle", "*");
        add(HOST, NO_AGENT, "java/lang/Process", "pid info children descendants toHandle");
        add(HOST, NO_AGENT, "java/net/InetAddress", "getLocalHost");
        add(HOST, NO_AGENT, "java/net/NetworkInterface", "*");
        add(HOST, NO_AGENT, "java/lang/management/ManagementFactory", "*");
        add(HOST, NO_AGENT, "java/util/concurrent/ForkJoinPool", "getCommonPoolParallelism getParallelism");
        add(HOST, NO_AGENT, "java/io/File", "getTotalSpace getFreeSpace getUsableSpace listRoots");
        add(HOST, NO_AGENT, "java/awt/GraphicsEnvironment", "*");
        add(HOST, NO_AGENT, "java/awt/Toolkit", "*");

        add(
                REFLECTION,
                NO_AGENT,
                "java/lang/Class",
                "getDeclaredMethods getMethods getDeclaredFields getFields getDeclaredConstructors getConstructors"
                        + " getDeclaredClasses getClasses");

        add(REFERENCE, NO_AGENT, "java/lang/ref/WeakReference", "<init>");
        add(REFERENCE, NO_AGENT, "java/lang/ref/SoftReference", "<init>");
        add(REFERENCE, NO_AGENT, "java/lang/ref/PhantomReference", "<init>");
        add(REFERENCE, NO_AGENT, "java/lang/ref/Reference", "get refersTo isEnqueued");
        add(REFERENCE, NO_AGENT, "java/lang/ref/ReferenceQueue", "poll remove");
        add(REFERENCE, NO_AGENT, "java/lang/ref/Cleaner", "create register");
        add(REFERENCE, NO_AGENT, "java/util/WeakHashMap", "*");
        add(FINALIZER, NO_AGENT, "java/lang/System", "runFinalization");
        add(FINALIZER, NO_AGENT, "java/lang/Runtime", "runFinalization");

        add(
                STATIC_STATE,
                NO_AGENT,
                "java/lang/System",
                "setProperty setProperties clearProperty setOut setErr setIn setSecurityManager");
        add(STATIC_STATE, NO_AGENT, "java/util/Locale", "setDefault");
        add(STATIC_STATE, NO_AGENT, "java/util/TimeZone", "setDefault");
        add(STATIC_STATE, NO_AGENT, "java/net/URL", "setURLStreamHandlerFactory");
        add(
                STATIC_STATE,
                NO_AGENT,
                "java/security/Security",
                "addProvider insertProviderAt removeProvider setProperty");

        add(EXIT, NO_AGENT, "java/lang/System", "exit");
        add(EXIT, NO_AGENT, "java/lang/Runtime", "exit halt");

        add(NATIVE, NO_AGENT, "java/lang/System", "load loadLibrary");
        add(NATIVE, NO_AGENT, "java/lang/Runtime", "load loadLibrary");
        add(NATIVE, NO_AGENT, "java/lang/foreign/Linker", "downcallHandle upcallStub");
        add(NATIVE, NO_AGENT, "com/sun/jna/Native", "load loadLibrary register");
        add(NATIVE, NO_AGENT, "sun/misc/Unsafe", "allocateMemory reallocateMemory getAddress objectFieldOffset");
    }

    private void threads() {
        add(
                THREAD,
                NO_AGENT,
                "java/lang/Thread",
                "start startVirtualThread ofVirtual ofPlatform getName getId threadId getAllStackTraces activeCount"
                        + " enumerate isAlive getState");
        add(THREAD, NO_AGENT, "java/lang/Thread$Builder", "start");
        add(THREAD, NO_AGENT, "java/lang/ThreadGroup", "activeCount enumerate");
        add(THREAD, NO_AGENT, "java/lang/ThreadLocal", "<init> withInitial get set remove");
        add(THREAD, NO_AGENT, "java/lang/Object", "wait(J");
        add(THREAD, NO_AGENT, "java/lang/Runtime", "addShutdownHook");
        add(
                THREAD,
                NO_AGENT,
                "java/util/concurrent/Executors",
                "newFixedThreadPool newCachedThreadPool newSingleThreadExecutor newWorkStealingPool"
                        + " newThreadPerTaskExecutor newVirtualThreadPerTaskExecutor");
        add(THREAD, NO_AGENT, "java/util/concurrent/ThreadPoolExecutor", "<init>");
        add(
                THREAD,
                NO_AGENT,
                "java/util/concurrent/ForkJoinPool",
                "<init> commonPool invoke lazySubmit externalSubmit invokeAllUninterruptibly submitWithTimeout");
        add(THREAD, NO_AGENT, "java/util/concurrent/Executor", "execute");
        add(THREAD, NO_AGENT, "java/util/concurrent/ExecutorService", "submit invokeAll invokeAny awaitTermination");
        add(THREAD, NO_AGENT, "java/util/concurrent/ForkJoinTask", "fork invokeAll");
        add(THREAD, NO_AGENT, "java/util/concurrent/CompletionService", "submit take poll");
        add(THREAD, NO_AGENT, "java/util/concurrent/StructuredTaskScope", "fork open");
        add(
                THREAD,
                NO_AGENT,
                "java/util/concurrent/CompletableFuture",
                "supplyAsync runAsync thenApplyAsync thenAcceptAsync thenRunAsync thenComposeAsync thenCombineAsync"
                        + " handleAsync whenCompleteAsync applyToEitherAsync acceptEitherAsync completeAsync isDone"
                        + " getNow anyOf");
        add(THREAD, NO_AGENT, "java/util/concurrent/Future", "get(J isDone");
        add(THREAD, NO_AGENT, "java/util/concurrent/CountDownLatch", "await(J");
        add(THREAD, NO_AGENT, "java/util/concurrent/Semaphore", "tryAcquire(J tryAcquire(IJ");
        add(THREAD, NO_AGENT, "java/util/concurrent/locks/Lock", "tryLock");
        add(THREAD, NO_AGENT, "java/util/concurrent/locks/Condition", "await(J awaitNanos awaitUntil");
        add(THREAD, NO_AGENT, "java/util/concurrent/BlockingQueue", "poll(J offer(Ljava/lang/Object;J take put");
        add(THREAD, NO_AGENT, "java/util/concurrent/Exchanger", "exchange");

        add(TIMER, NO_AGENT, "java/util/Timer", "<init> schedule scheduleAtFixedRate");
        add(
                TIMER,
                NO_AGENT,
                "java/util/concurrent/Executors",
                "newScheduledThreadPool newSingleThreadScheduledExecutor");
        add(TIMER, NO_AGENT, "java/util/concurrent/ScheduledThreadPoolExecutor", "<init>");
        add(TIMER, NO_AGENT, "java/util/concurrent/ScheduledExecutorService", "schedule*");
        add(TIMER, NO_AGENT, "java/util/concurrent/CompletableFuture", "orTimeout completeOnTimeout delayedExecutor");
        add(TIMER, NO_AGENT, "javax/swing/Timer", "<init> start");
        add(TIMER, NO_AGENT, "javax/management/timer/Timer", "*");

        add(PARALLEL_STREAM, NO_AGENT, "java/util/Collection", "parallelStream");
        add(PARALLEL_STREAM, NO_AGENT, "java/util/stream/BaseStream", "parallel");
        add(PARALLEL_STREAM, NO_AGENT, "java/util/stream/Gatherers", "mapConcurrent");
        add(PARALLEL_STREAM, NO_AGENT, "java/util/Arrays", "parallel*");
        add(
                PARALLEL_STREAM,
                NO_AGENT,
                "java/util/concurrent/ConcurrentHashMap",
                "forEach(J forEachKey forEachValue forEachEntry search* reduce*");
    }

    private void outside() {
        add(
                FILE,
                NO_AGENT,
                "java/io/File",
                "createNewFile createTempFile delete deleteOnExit exists isFile isDirectory isHidden length lastModified"
                        + " list listFiles mkdir mkdirs renameTo setLastModified setReadOnly setReadable setWritable"
                        + " setExecutable canRead canWrite canExecute getCanonical*");
        add(FILE, NO_AGENT, "java/nio/file/Files", "*");
        add(FILE, NO_AGENT, "java/nio/file/Path", "toRealPath register");
        add(FILE, NO_AGENT, "java/nio/file/FileSystems", "newFileSystem");
        add(FILE, NO_AGENT, "java/nio/file/WatchService", "*");
        for (String stream : List.of("FileInputStream", "FileOutputStream", "FileReader", "FileWriter")) {
            add(FILE, NO_AGENT, "java/io/" + stream, "<init>");
        }
        add(FILE, NO_AGENT, "java/io/RandomAccessFile", "*");
        for (String writer : List.of("PrintWriter", "PrintStream")) {
            add(FILE, NO_AGENT, "java/io/" + writer, "<init>(Ljava/lang/String; <init>(Ljava/io/File;");
        }
        add(FILE, NO_AGENT, "java/util/Scanner", "<init>(Ljava/io/File; <init>(Ljava/nio/file/Path;");
        add(FILE, NO_AGENT, "java/util/Formatter", "<init>(Ljava/lang/String; <init>(Ljava/io/File;");
        add(FILE, NO_AGENT, "java/util/zip/ZipFile", "<init>");
        add(FILE, NO_AGENT, "java/util/jar/JarFile", "<init>");
        add(FILE, NO_AGENT, "java/nio/channels/FileChannel", "*");
        add(FILE, NO_AGENT, "java/nio/channels/AsynchronousFileChannel", "*");
        add(FILE, NO_AGENT, "java/io/Console", "read* printf format writer reader");
        add(FILE, NO_AGENT, "java/lang/IO", "readln");

        add(SOCKET, NO_AGENT, "java/net/Socket", "<init> connect bind getInputStream getOutputStream");
        add(SOCKET, NO_AGENT, "java/net/ServerSocket", "<init> bind accept");
        add(SOCKET, NO_AGENT, "java/net/DatagramSocket", "<init> connect bind send receive joinGroup");
        add(SOCKET, NO_AGENT, "java/net/MulticastSocket", "<init> joinGroup send");
        String channels = "java/nio/channels/";
        add(SOCKET, NO_AGENT, channels + "SocketChannel", "open connect bind read write finishConnect");
        add(SOCKET, NO_AGENT, channels + "ServerSocketChannel", "open bind accept");
        add(SOCKET, NO_AGENT, channels + "DatagramChannel", "open connect bind read write send receive");
        add(SOCKET, NO_AGENT, channels + "AsynchronousSocketChannel", "open connect bind read write");
        add(SOCKET, NO_AGENT, channels + "AsynchronousServerSocketChannel", "open bind accept");
        add(SOCKET, NO_AGENT, "java/nio/channels/Selector", "open select*");
        add(SOCKET, NO_AGENT, "javax/net/SocketFactory", "createSocket");
        add(SOCKET, NO_AGENT, "javax/net/ServerSocketFactory", "createServerSocket");
        add(SOCKET, NO_AGENT, "java/net/URL", "openStream openConnection getContent equals hashCode");
        add(
                SOCKET,
                NO_AGENT,
                "java/net/URLConnection",
                "connect getInputStream getOutputStream getContent getHeader* getLastModified");
        add(SOCKET, NO_AGENT, "java/net/HttpURLConnection", "getResponse*");
        add(SOCKET, NO_AGENT, "java/net/http/HttpClient", "send sendAsync");
        add(
                SOCKET,
                NO_AGENT,
                "java/net/InetAddress",
                "getByName getAllByName isReachable getHostName getCanonicalHostName");
        add(SOCKET, NO_AGENT, "java/net/InetSocketAddress", "<init>(Ljava/lang/String; getHostName");
        add(SOCKET, NO_AGENT, "javax/naming/InitialContext", "<init> doLookup");
        add(SOCKET, NO_AGENT, "javax/naming/Context", "lookup* bind rebind unbind list* rename createSubcontext");
        add(SOCKET, NO_AGENT, "java/rmi/Naming", "*");
        add(SOCKET, NO_AGENT, "java/rmi/registry/LocateRegistry", "*");
        add(SOCKET, NO_AGENT, "java/rmi/registry/Registry", "*");
        add(SOCKET, NO_AGENT, "com/sun/net/httpserver/HttpServer", "*");
        for (String messaging : List.of("javax/jms/", "jakarta/jms/")) {
            add(SOCKET, NO_AGENT, messaging + "ConnectionFactory", "create*");
            add(SOCKET, NO_AGENT, messaging + "MessageProducer", "send");
            add(SOCKET, NO_AGENT, messaging + "JMSProducer", "send");
            add(SOCKET, NO_AGENT, messaging + "MessageConsumer", "receive*");
            add(SOCKET, NO_AGENT, messaging + "JMSConsumer", "receive*");
        }

        add(JDBC, NO_AGENT, "java/sql/DriverManager", "*");
        add(JDBC, NO_AGENT, "java/sql/Driver", "connect");
        add(JDBC, NO_AGENT, "javax/sql/DataSource", "getConnection");
        add(JDBC, NO_AGENT, "javax/sql/XADataSource", "getXAConnection");
        add(JDBC, NO_AGENT, "javax/sql/ConnectionPoolDataSource", "getPooledConnection");
        add(JDBC, NO_AGENT, "java/sql/Connection", "commit rollback isValid setSavepoint");
        add(JDBC, NO_AGENT, "java/sql/Statement", "execute*");
        add(JDBC, NO_AGENT, "java/sql/ResultSet", "updateRow insertRow deleteRow refreshRow");
        for (String persistence : List.of("javax/persistence/", "jakarta/persistence/")) {
            add(JDBC, NO_AGENT, persistence + "EntityManager", "persist merge remove find flush refresh lock create*");
            add(JDBC, NO_AGENT, persistence + "Query", "getResult* getSingleResult executeUpdate");
            add(JDBC, NO_AGENT, persistence + "EntityTransaction", "begin commit rollback");
            add(JDBC, NO_AGENT, persistence + "Persistence", "createEntityManagerFactory");
        }
        add(JDBC, NO_AGENT, "org/springframework/jdbc/core/JdbcOperations", "*");

        for (String mail : List.of("javax/mail/", "jakarta/mail/")) {
            add(MAIL, NO_AGENT, mail + "Transport", "send sendMessage connect");
            add(MAIL, NO_AGENT, mail + "Service", "connect");
            add(MAIL, NO_AGENT, mail + "Store", "connect getFolder getDefaultFolder");
            add(MAIL, NO_AGENT, mail + "Folder", "open getMessages appendMessages expunge");
        }
        add(MAIL, NO_AGENT, "org/springframework/mail/MailSender", "send");
        add(MAIL, NO_AGENT, "org/apache/commons/mail/Email", "send");
        add(MAIL, NO_AGENT, "org/apache/commons/mail2/jakarta/Email", "send");

        add(PROCESS, NO_AGENT, "java/lang/ProcessBuilder", "start startPipeline");
        add(PROCESS, NO_AGENT, "java/lang/Runtime", "exec");
        add(PROCESS, NO_AGENT, "java/awt/Desktop", "*");

        add(
                NESTED_CALL,
                NO_AGENT,
                "org/omg/CORBA/Request",
                "invoke send_oneway send_deferred get_response poll_response");
        add(
                NESTED_CALL,
                NO_AGENT,
                "org/omg/CORBA/ORB",
                "send_multiple_requests_oneway send_multiple_requests_deferred poll_next_response get_next_response");
        add(NESTED_CALL, NO_AGENT, "org/omg/CORBA/Object", "_is_a _non_existent _get_interface_def _get_component");
        add(NESTED_CALL, NO_AGENT, "org/amo/replication/service/AmoClient", "call* oneway");
    }

    /**
     * Adds sources of one type.
     *
     * @param members names; with a {@code (} and the beginning of a descriptor only these overloads, with a {@code *} at the end of
     *     the name all names that begin so
     */
    private void add(SourceKind kind, boolean deterministic, String owner, String members) {
        List<Source> known = sources.computeIfAbsent(owner, key -> new ArrayList<>());
        for (String member : members.split("\\s+", -1)) {
            int descriptor = member.indexOf('(');
            String name = descriptor < 0 ? member : member.substring(0, descriptor);
            boolean lasting = deterministic && LASTING.contains(owner);
            known.add(
                    new Source(kind, deterministic, lasting, name, descriptor < 0 ? "" : member.substring(descriptor)));
        }
    }
}
