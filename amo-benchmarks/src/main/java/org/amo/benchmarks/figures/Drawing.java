package org.amo.benchmarks.figures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;

/** Draws plots as SVG. */
final class Drawing {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 480;
    /** Letters are drawn as outlines; most of their size are fractions of pixels. */
    private static final Pattern MORE_DECIMALS = Pattern.compile("(\\d\\.\\d)\\d+");

    private Drawing() {}

    static void all(Figures figures, Path folder) throws IOException {
        System.setProperty("java.awt.headless", "true");
        for (Figures.Plot plot : figures.plots()) {
            draw(lines(plot), folder.resolve(plot.name() + ".svg"));
        }
        for (Figures.Columns columns : figures.columns()) {
            draw(columns(columns), folder.resolve(columns.name() + ".svg"));
        }
    }

    private static XYChart lines(Figures.Plot plot) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(plot.title())
                .xAxisTitle(plot.x())
                .yAxisTitle(plot.y())
                .build();
        chart.getStyler().setYAxisMin(0.0);
        plot.series().forEach((name, series) -> chart.addSeries(name, series.x(), series.y()));
        return chart;
    }

    private static CategoryChart columns(Figures.Columns columns) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(columns.title())
                .yAxisTitle(columns.y())
                .build();
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setLegendVisible(false);
        chart.getStyler().setXAxisLabelRotation(20);
        chart.addSeries(
                columns.y(),
                List.copyOf(columns.heights().keySet()),
                List.copyOf(columns.heights().values()));
        return chart;
    }

    private static void draw(Chart<?, ?> chart, Path file) throws IOException {
        try {
            VectorGraphicsEncoder.saveVectorGraphic(chart, file.toString(), VectorGraphicsFormat.SVG);
            Files.writeString(
                    file, MORE_DECIMALS.matcher(Files.readString(file)).replaceAll("$1"));
        } catch (LinkageError | InternalError e) {
            throw new IOException("cannot draw " + file + ": this JDK has no fonts (" + e + "); use one that is not"
                    + " headless, or install fontconfig");
        }
    }
}
