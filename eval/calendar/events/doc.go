// Package events reads files of events such as holidays and maintenance: CSV with the columns name, from and to, or
// iCalendar.
package events
