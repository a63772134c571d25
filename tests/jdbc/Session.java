// A session of PostgreSQL's JDBC driver with a server: what tools ask of metadata, and questions. Prints what it saw.
import java.sql.*;
import java.util.*;

public class Session {
  static String all(ResultSet rows, String... names) throws SQLException {
    StringBuilder out = new StringBuilder();
    while (rows.next()) {
      for (String name : names) out.append(rows.getString(name)).append(' ');
      out.append('\n');
    }
    rows.close();
    return out.toString();
  }

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("user", "somebody");
    properties.setProperty("options", "-c kith.epsilon=1");
    try (Connection connection = DriverManager.getConnection(arguments[0], properties)) {
      DatabaseMetaData about = connection.getMetaData();
      System.out.println(about.getDatabaseProductName() + " " + about.getDatabaseMajorVersion());
      System.out.print("catalogs " + all(about.getCatalogs(), "TABLE_CAT"));
      System.out.print("schemas\n" + all(about.getSchemas(), "TABLE_SCHEM"));
      System.out.print("tables " + all(about.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME", "TABLE_TYPE"));
      System.out.print("columns\n" + all(about.getColumns(null, "public", "people", "%"), "COLUMN_NAME", "TYPE_NAME", "IS_NULLABLE"));
      System.out.print("keys" + all(about.getPrimaryKeys(null, "public", "people"), "COLUMN_NAME"));
      System.out.println(all(about.getIndexInfo(null, "public", "people", false, true), "INDEX_NAME"));
      all(about.getImportedKeys(null, "public", "people"), "FKCOLUMN_NAME");
      all(about.getTypeInfo(), "TYPE_NAME");
      try (PreparedStatement asked = connection.prepareStatement("SELECT ward, count(*) AS n FROM people WHERE age < ? AND ill = ? GROUP BY ward")) {
        for (int turn = 0; turn < 7; ++turn) {  // in the end prepared on the server, with binary results
          asked.setInt(1, 50);
          asked.setString(2, "yes");
          StringBuilder line = new StringBuilder();
          try (ResultSet rows = asked.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            if (turn == 0) System.out.println(columns.getColumnName(1) + " " + columns.getColumnTypeName(2) + " " + columns.getColumnName(3));
            while (rows.next()) line.append(rows.getString(1)).append(rows.getLong(2)).append(' ').append(rows.getDouble(3)).append(';');
          }
          System.out.println("answer " + line);
          boolean told = false;
          for (SQLWarning each = asked.getWarnings(); each != null; each = each.getNextWarning()) told |= each.getMessage().startsWith("plain loss");
          if (turn == 0) System.out.println("notice " + told);
        }
      }
      try (PreparedStatement some = connection.prepareStatement("SELECT ward, count(*) AS n FROM people WHERE age < 70 GROUP BY ward")) {
        System.out.println("described " + some.getMetaData().getColumnCount());
      }
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        statement.setFetchSize(2);
        try (ResultSet rows = statement.executeQuery("SELECT ward, count(*) AS n FROM people WHERE age < 60 GROUP BY ward")) {
          int count = 0;
          while (rows.next()) ++count;
          System.out.println("fetched " + count);
        }
      }
      try (Statement statement = connection.createStatement()) {
        statement.executeQuery("SELECT ill FROM people");
      } catch (SQLException refused) {
        System.out.println("refused " + refused.getSQLState());
      }
      connection.rollback();
    }
  }
}
