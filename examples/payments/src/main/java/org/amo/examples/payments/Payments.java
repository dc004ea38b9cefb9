package org.amo.examples.payments;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Payments, one row each. */
@RestController
class Payments {
    private final JdbcTemplate database;

    Payments(JdbcTemplate database) {
        this.database = database;
    }

    @PostMapping("/payments")
    @Transactional
    public String pay(@RequestBody String amount) {
        database.update("INSERT INTO payment (amount) VALUES (?)", Integer.valueOf(amount));
        return "paid, number " + database.queryForObject("SELECT max(id) FROM payment", Long.class);
    }
}
