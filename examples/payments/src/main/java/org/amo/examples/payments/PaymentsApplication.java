package org.amo.examples.payments;

import java.sql.SQLException;
import org.amo.jdbc.JdbcResultStore;
import org.amo.jdbc.JoinedDataSource;
import org.amo.jdbc.OnceSchema;
import org.amo.jdbc.servlet.IdempotencyKeyFilter;
import org.amo.once.OnceExecutor;
import org.amo.once.OnceOptions;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Bean;

/** A service whose clients retry. Two beans are all that amo needs; the service knows nothing of it. */
@SpringBootApplication
public class PaymentsApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(PaymentsApplication.class, arguments);
    }

    /** The service's connections join the transaction of the call that runs. */
    @Bean
    JoinedDataSource dataSource(DataSourceProperties properties) {
        return JoinedDataSource.over(properties.initializeDataSourceBuilder().build());
    }

    @Bean
    IdempotencyKeyFilter idempotencyKeys(JoinedDataSource dataSource) throws SQLException {
        OnceSchema.create(dataSource);
        return new IdempotencyKeyFilter(
                OnceExecutor.over(
                        JdbcResultStore.over(dataSource), OnceOptions.builder().build()),
                dataSource,
                IdempotencyKeyFilter.Settings.defaults());
    }
}
