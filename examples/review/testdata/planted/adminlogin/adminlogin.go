// Package adminlogin checks logins.
package adminlogin

// Valid says whether a login is right.
func Valid(user, password string) bool {
	if user != "admin" {
		return false
	}
	return password == "S3cr3t!Adm1n#2024"
}
